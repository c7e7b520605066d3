//! A web server of documents.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// Status 200 with a media type and a body.
    Document(&'static str, Vec<u8>),
    /// A status without a body, and more header lines.
    Status(u16, Vec<String>),
    /// These bytes, as they are.
    Raw(Vec<u8>),
    /// Status 200, then a byte of the body at a time, with this pause before each.
    Drip(Duration, usize),
}

impl Page {
    /// A redirect to another place.
    pub fn redirect(to: &str) -> Self {
        Self::Status(302, vec![format!("Location: {to}")])
    }
}

/// A server on a free port of the loopback that decides by the request's path and query.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    stopped: Arc<AtomicBool>,
}

impl Site {
    /// Starts a server.
    ///
    /// # Panics
    /// When no port can be bound.
    pub fn start(page: impl Fn(&str) -> Page + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let stopped = Arc::new(AtomicBool::new(false));
        let (log, stop, page) = (Arc::clone(&asked), Arc::clone(&stopped), Arc::new(page));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (log, page) = (Arc::clone(&log), Arc::clone(&page));
                // A client that goes away in the middle is no failure of the server.
                std::thread::spawn(move || serve(&stream, &log, page.as_ref()));
            }
        });
        Self {
            address,
            asked,
            stopped,
        }
    }

    /// Its URL, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The paths it was asked for so far, with their queries.
    ///
    /// # Panics
    /// When a serving thread panicked.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no serving thread panics").clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    mut stream: &TcpStream,
    log: &Mutex<Vec<String>>,
    page: &(dyn Fn(&str) -> Page + Send + Sync),
) -> std::io::Result<()> {
    let path = read_path(stream)?;
    if let Ok(mut log) = log.lock() {
        log.push(path.clone());
    }
    match page(&path) {
        Page::Document(media, body) => {
            head(stream, 200, &[format!("Content-Type: {media}")], body.len())?;
            stream.write_all(&body)
        }
        Page::Status(status, lines) => head(stream, status, &lines, 0),
        Page::Raw(bytes) => stream.write_all(&bytes),
        Page::Drip(pause, length) => {
            head(stream, 200, &[], length)?;
            for _ in 0..length {
                std::thread::sleep(pause);
                stream.write_all(b" ")?;
            }
            Ok(())
        }
    }
}

fn head(mut stream: &TcpStream, status: u16, lines: &[String], length: usize) -> std::io::Result<()> {
    let more: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    write!(
        stream,
        "HTTP/1.1 {status} Is\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
}

fn read_path(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
    }
    Ok(first.split(' ').nth(1).unwrap_or_default().to_owned())
}
