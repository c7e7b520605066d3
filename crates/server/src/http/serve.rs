//! Listening, and stopping without losing a request.

use super::exchange::Peer;
use super::router;
use crate::config::{Config, ConfigError};
use crate::log;
use crate::service::Service;
use axum::Router;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::Service as _;

/// What the head of a request may take, and the longest a connection may idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Requests of one HTTP/2 connection at a time.
const MAX_STREAMS: u32 = 64;
/// Bytes of all headers of one request.
const MAX_HEADER_BYTES: usize = 32 * 1024;
/// The pause after a connection that could not be accepted, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why the service does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The machine did not let it.
    #[error("{what}: {why}")]
    Machine {
        /// What was tried.
        what: String,
        /// What came of it.
        why: std::io::Error,
    },
}

/// Runs the service until the process is told to stop (SIGTERM or SIGINT), then finishes what is under way. `listening` is
/// told the address once requests are taken.
///
/// # Errors
/// A configuration that cannot be used, or an address that cannot be listened on.
pub fn serve(config: Config, listening: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    log::start(&config.log);
    let machine = |what: &str| {
        let what = what.to_owned();
        move |why| ServeError::Machine { what, why }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Each question that is worked on has a thread; documents and names are resolved on others.
        .max_blocking_threads(config.limits.running.saturating_add(64))
        .build()
        .map_err(machine("the runtime does not start"))?;
    runtime.block_on(async {
        let service = Service::open(config)?;
        let address = service.config.listen;
        let stop = stop_signal().map_err(machine("signals cannot be listened for"))?;
        service.start().await;
        let listener = TcpListener::bind(address)
            .await
            .map_err(machine(&format!("{address} cannot be listened on")))?;
        let local = listener
            .local_addr()
            .map_err(machine("the address is not known"))?;
        tracing::info!(address = %local, "listening");
        listening(local);
        accept(listener, &service, stop).await;
        Ok(())
    })
}

async fn accept(listener: TcpListener, service: &Arc<Service>, stop: impl Future<Output = ()>) {
    let app = router(service);
    let connections = Arc::new(Semaphore::new(service.config.limits.connections));
    let graceful = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        let next = async {
            let place = connections.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                let served = graceful.watch(connection(stream, peer, app.clone()));
                tokio::spawn(async move {
                    // A connection that breaks concerns its client alone.
                    let _ = served.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    service.stop();
    drop(listener);
    tracing::info!("stopping: requests under way are finished");
    match tokio::time::timeout(service.config.limits.shutdown, graceful.shutdown()).await {
        Ok(()) => tracing::info!("stopped"),
        Err(_) => tracing::warn!("stopped before every request was finished"),
    }
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
) -> impl hyper_util::server::graceful::GracefulConnection {
    // An answer is written at once; without it a small one may wait for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let serve = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        app.clone().call(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(HEAD_TIMEOUT)
        .keep_alive_timeout(HEAD_TIMEOUT);
    builder.serve_connection(TokioIo::new(stream), serve).into_owned()
}

/// Ends when the process is told to stop.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
