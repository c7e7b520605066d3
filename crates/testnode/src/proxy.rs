//! A misbehaving HTTP server in front of a node.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What the proxy does with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Passes it to the node, and the node's answer back.
    Forward,
    /// Passes a changed request body to the node.
    ForwardInstead(String),
    /// Answers with an HTTP status, and a `Retry-After` in seconds.
    Status(u16, Option<u64>),
    /// Answers with status 200 and this body.
    Body(String),
    /// Announces a longer body than it sends.
    CutShort(String),
    /// Closes the connection without an answer.
    Close,
    /// Answers nothing for this long, then closes.
    Hang(Duration),
}

/// A server on a free port that decides by the request's position, from 0, and its body what to do with it.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
}

impl Proxy {
    /// Starts a server in front of the node.
    ///
    /// # Panics
    /// When no port can be bound.
    pub fn start(node: SocketAddr, decide: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let stopped = Arc::new(AtomicBool::new(false));
        let (count, stop, decide) = (Arc::clone(&requests), Arc::clone(&stopped), Arc::new(decide));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (count, decide) = (Arc::clone(&count), Arc::clone(&decide));
                // A client that goes away in the middle is no failure of the server.
                std::thread::spawn(move || serve(&stream, node, &count, decide.as_ref()));
            }
        });
        Self {
            address,
            requests,
            stopped,
        }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests it got so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    stream: &TcpStream,
    node: SocketAddr,
    count: &AtomicUsize,
    decide: &(dyn Fn(usize, &str) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let body = read_request(stream)?;
    let mut stream = stream;
    match decide(count.fetch_add(1, Ordering::SeqCst), &body) {
        Reply::Forward => forward(stream, node, &body),
        Reply::ForwardInstead(body) => forward(stream, node, &body),
        Reply::Status(status, retry_after) => {
            let retry_after = retry_after.map_or_else(String::new, |s| format!("Retry-After: {s}\r\n"));
            write!(
                stream,
                "HTTP/1.1 {status} No\r\n{retry_after}Content-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }
        Reply::Body(body) => answer(stream, body.len(), &body),
        Reply::CutShort(body) => answer(stream, body.len() + 100, &body),
        Reply::Close => Ok(()),
        Reply::Hang(time) => {
            std::thread::sleep(time);
            Ok(())
        }
    }
}

fn answer(mut stream: &TcpStream, length: usize, body: &str) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn read_request(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    String::from_utf8(body).map_err(std::io::Error::other)
}

fn forward(mut client: &TcpStream, node: SocketAddr, body: &str) -> std::io::Result<()> {
    let mut node_stream = TcpStream::connect(node)?;
    write!(
        node_stream,
        "POST / HTTP/1.1\r\nHost: {node}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )?;
    std::io::copy(&mut node_stream, &mut client).map(drop)
}
