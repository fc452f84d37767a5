//! Requests in, answers out.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest, Request, State, rejection::JsonRejection},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Semaphore, time::timeout};

use super::{App, MAX_BODY, api, api::Refusal, work};

/// Connections served at once; others wait.
const MAX_CONNECTIONS: usize = 256;
/// How long a client may take to send the head of a request, and how long a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How long a request may take, its body included.
const REQUEST_TIME: Duration = Duration::from_secs(40);
/// What the page may load: itself.
const POLICY: &str = "default-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

type Shared = State<Arc<App>>;
type Answer<T> = Result<Json<T>, Refusal>;

/// The body of a request, with our own text where it is none.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Refusal))]
struct Body<T>(T);

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge(format!("a request may have {MAX_BODY} bytes")),
            _ => Self::Bad(rejection.body_text()),
        }
    }
}

/// Serves requests until something goes wrong with the listener.
pub async fn listen(listener: TcpListener, app: Arc<App>) -> std::io::Result<()> {
    let service = TowerToHyperService::new(router(app));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // One client's trouble, or too many open files: neither is a reason to stop.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let service = service.clone();
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
            // A connection that breaks is its client's business.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(permit);
        });
    }
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(|| page("text/html; charset=utf-8", include_str!("page/index.html"))))
        .route("/style.css", get(|| page("text/css; charset=utf-8", include_str!("page/style.css"))))
        .route("/app.js", get(|| page("text/javascript; charset=utf-8", include_str!("page/app.js"))))
        .route("/draw.js", get(|| page("text/javascript; charset=utf-8", include_str!("page/draw.js"))))
        .route("/api/info", get(|State(app): Shared| async move { Json(app.info.clone()) }))
        .route("/api/demos", get(|| async { Json(api::demos()) }))
        .route("/api/results", get(results))
        .route("/api/run", post(run))
        .route("/api/steps", post(steps))
        .route("/api/judge", post(judge))
        .fallback(|| async { (StatusCode::NOT_FOUND, Json(json!({ "error": "there is nothing here" }))) })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn page(kind: &'static str, content: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], content).into_response()
}

async fn results(State(app): Shared) -> Answer<Value> {
    work::run(app, |app, _| api::results(&app.results)).await.map(Json)
}

async fn run(State(app): Shared, Body(start): Body<api::Start>) -> Answer<api::Ran> {
    work::run(app, move |app, bounds| api::run(app, &start, bounds)).await.map(Json)
}

async fn steps(State(app): Shared, Body(asked): Body<api::Steps>) -> Answer<api::Stepped> {
    work::run(app, move |app, bounds| api::steps(app, &asked, bounds)).await.map(Json)
}

async fn judge(State(app): Shared, Body(case): Body<api::Case>) -> Answer<api::Judged> {
    work::run(app, move |app, bounds| api::judge(app, &case, bounds)).await.map(Json)
}

/// Turns away what is not meant for us, limits the time, and says what the browser may do with the answer.
async fn guard(State(app): Shared, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if app.is_local && !host.is_some_and(names_this_machine) {
        return (StatusCode::FORBIDDEN, Json(json!({ "error": "not the name of this machine" })))
            .into_response();
    }
    // Refused at once, not when so much has come.
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > MAX_BODY as u64) {
        return Refusal::TooLarge(format!("a request may have {MAX_BODY} bytes")).into_response();
    }
    let mut response = match timeout(REQUEST_TIME, next.run(request)).await {
        Ok(response) => response,
        Err(_) => (StatusCode::REQUEST_TIMEOUT, Json(json!({ "error": "too slow" }))).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Whether a `Host` is an address or `localhost`, with or without a port.
fn names_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:8000", "[::1]:8000", "[::1]"] {
            assert!(names_this_machine(host), "{host}");
        }
        for host in ["", "example.com", "example.com:8000", "localhost.example.com", "127.0.0.1.example.com"]
        {
            assert!(!names_this_machine(host), "{host}");
        }
    }
}
