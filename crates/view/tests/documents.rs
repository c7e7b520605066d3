//! Documents from real servers on the loopback.
#![allow(clippy::unwrap_used, reason = "tests")]

use presight_testnode::{Page, Site};
use presight_view::documents::{
    DocumentSettings, Documents, MAX_BLOCK_BYTES, MAX_BLOCKS, MAX_DOCUMENT_BYTES, MAX_DOCUMENTS,
    MAX_REDIRECTS, WithDocuments,
};
use presight_view::rpc::{Http, Rpc};
use presight_view::{Document, Unread, run};
use presight_wire::{Reason, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const CLOCK: Timestamp = Timestamp(1_796_040_000);
const BUDGET: Duration = Duration::from_secs(30);

type Outcome = (Result<Document, Reason>, Vec<String>);

fn read_within(settings: &DocumentSettings, url: &str, budget: Duration) -> Outcome {
    let mut backend = WithDocuments::new(Rpc::<Http>::new(), Documents::new(settings).unwrap());
    let driven = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(run(&mut backend, CLOCK, budget, |view| view.document(url)));
    let outcome = driven.value.map_err(|unread| match unread {
        Unread::NotRead(not_read) => not_read.reason,
        Unread::Pending => Reason::NotRequested,
    });
    (outcome, driven.problems.iter().map(ToString::to_string).collect())
}

fn loopback() -> DocumentSettings {
    DocumentSettings {
        allow_loopback: true,
        ..DocumentSettings::default()
    }
}

fn gateways(urls: &[String]) -> DocumentSettings {
    DocumentSettings {
        ipfs_gateways: urls.to_vec(),
        ..DocumentSettings::default()
    }
}

fn read(settings: &DocumentSettings, url: &str) -> Outcome {
    read_within(settings, url, BUDGET)
}

#[track_caller]
fn assert_unread(outcome: &Outcome, reason: Reason, problem: &str) {
    assert_eq!(outcome.0.as_ref().err(), Some(&reason), "{outcome:?}");
    let last = outcome.1.last().unwrap();
    assert!(last.contains(problem), "{last}");
}

fn document(body: &[u8]) -> Page {
    Page::Document("application/json", body.to_vec())
}

#[test]
fn a_document_comes_with_its_media_type() {
    let site = Site::start(|path| match path {
        "/hop" => Page::redirect("/agent.json?v=1"),
        _ => document(b"{}"),
    });
    for path in ["/agent.json", "/hop"] {
        let (read, problems) = read(&loopback(), &format!("{}{path}", site.url()));
        let read = read.unwrap();
        assert_eq!(read.content_type.as_deref(), Some("application/json"));
        assert_eq!(&read.bytes[..], b"{}");
        assert!(problems.is_empty());
    }
    assert_eq!(site.asked(), ["/agent.json", "/hop", "/agent.json?v=1"]);
}

#[test]
fn no_address_of_ours_is_asked() {
    let site = Site::start(|_| document(b"{}"));
    let port = site.url().rsplit_once(':').unwrap().1.to_owned();
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
    ] {
        let url = format!("https://{host}:{port}/");
        assert_unread(
            &read(&DocumentSettings::default(), &url),
            Reason::Unavailable,
            "document-refused",
        );
    }
    let plain = read(&DocumentSettings::default(), &site.url());
    assert_unread(&plain, Reason::Unavailable, "only `https:` is fetched");
    assert_eq!(site.asked(), Vec::<String>::new());
}

#[test]
fn a_redirect_is_checked_like_the_first_url() {
    let site = Site::start(|path| match path {
        "/metadata" => Page::redirect("http://169.254.169.254/latest/meta-data/"),
        "/private" => Page::redirect("http://10.0.0.1/"),
        "/file" => Page::redirect("file:///etc/passwd"),
        "/secure" => Page::redirect("https://127.0.0.1/"),
        "/credentials" => Page::redirect("//user:secret@127.0.0.1/"),
        "/nowhere" => Page::Status(302, Vec::new()),
        "/loop" => Page::redirect("/loop"),
        _ => document(b"{}"),
    });
    for (path, why) in [
        ("/metadata", "only `https:` is fetched"),
        ("/private", "only `https:` is fetched"),
        ("/file", "another scheme"),
        ("/secure", "another scheme"),
        ("/credentials", "credentials"),
        ("/nowhere", "a redirect to no URL"),
    ] {
        let url = format!("{}{path}", site.url());
        assert_unread(&read(&loopback(), &url), Reason::Unavailable, why);
    }
    let before = site.asked().len();
    let url = format!("{}/loop", site.url());
    assert_unread(&read(&loopback(), &url), Reason::Unavailable, "MAX_REDIRECTS");
    assert_eq!(site.asked().len() - before, MAX_REDIRECTS + 1);
}

#[test]
fn bodies_are_bounded_whole_and_as_they_were_sent() {
    let site = Site::start(|path| match path {
        "/whole" => document(&vec![b' '; MAX_DOCUMENT_BYTES]),
        "/large" => document(&vec![b' '; MAX_DOCUMENT_BYTES + 1]),
        "/missing" => Page::Status(404, Vec::new()),
        "/partial" => Page::Status(206, Vec::new()),
        "/encoded" => Page::Status(200, vec!["Content-Encoding: gzip".into()]),
        "/short" => Page::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}".to_vec()),
        _ => Page::Raw(b"SSH-2.0\r\n".to_vec()),
    });
    let at = |path: &str| read(&loopback(), &format!("{}{path}", site.url()));
    assert_eq!(at("/whole").0.unwrap().bytes.len(), MAX_DOCUMENT_BYTES);
    assert_unread(&at("/large"), Reason::Unavailable, "more than");
    assert_unread(&at("/missing"), Reason::Unavailable, "HTTP status 404");
    assert_unread(&at("/partial"), Reason::Unavailable, "HTTP status 206");
    assert_unread(&at("/encoded"), Reason::Unavailable, "content encoding");
    assert_unread(&at("/short"), Reason::Unavailable, "document-unavailable");
    assert_unread(&at("/other"), Reason::Unavailable, "document-unavailable");
}

#[test]
fn a_server_that_drips_is_cut_off() {
    let site = Site::start(|_| Page::Drip(Duration::from_millis(100), 100_000));
    let outcome = read_within(&loopback(), &site.url(), Duration::from_secs(1));
    assert_unread(&outcome, Reason::Timeout, "document-timeout");
}

#[test]
fn other_schemes_and_texts_are_not_fetched() {
    for url in ["ftp://example.com/", "agent.json", "", "data:,x"] {
        assert_unread(
            &read(&loopback(), url),
            Reason::Unsupported,
            "only `https:` and `ipfs:`",
        );
    }
    assert_unread(&read(&loopback(), "https://"), Reason::Unavailable, "no URL");
}

#[test]
fn a_run_fetches_so_many_documents_and_no_more() {
    let site = Site::start(|_| document(b"{}"));
    let mut backend = WithDocuments::new(Rpc::<Http>::new(), Documents::new(&loopback()).unwrap());
    let urls: Vec<String> = (0..=MAX_DOCUMENTS)
        .map(|n| format!("{}/{n:03}", site.url()))
        .collect();
    let driven = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(run(&mut backend, CLOCK, BUDGET, |view| {
            urls.iter()
                .map(|url| view.document(url).is_ok())
                .collect::<Vec<_>>()
        }));
    let read = driven.value.iter().filter(|read| **read).count();
    assert_eq!((read, driven.problems.len()), (MAX_DOCUMENTS, 1));
    assert!(driven.problems[0].to_string().contains("MAX_DOCUMENTS"));
}

/// Blocks by the base16 identifier a gateway is asked for.
#[derive(Default, Clone)]
struct Dag(BTreeMap<String, Vec<u8>>);

impl Dag {
    fn add(&mut self, codec: u8, block: &[u8]) -> Vec<u8> {
        let cid = [&[1, codec, 0x12, 0x20], &Sha256::digest(block)[..]].concat();
        self.0.insert(text(&cid), block.to_vec());
        cid
    }

    fn raw(&mut self, block: &[u8]) -> Vec<u8> {
        self.add(0x55, block)
    }

    /// A UnixFS node of this type with these links, in dag-pb.
    fn node(&mut self, kind: u8, data: &[u8], links: &[(&str, &[u8])]) -> Vec<u8> {
        let links: Vec<u8> = links
            .iter()
            .flat_map(|(name, cid)| field(2, &[field(1, cid), field(2, name.as_bytes())].concat()))
            .collect();
        let message = [vec![0x08, kind], field(2, data)].concat();
        self.add(0x70, &[links, field(1, &message)].concat())
    }

    fn serve(&self) -> Site {
        let blocks = Arc::new(self.0.clone());
        Site::start(move |path| {
            let cid = path
                .strip_prefix("/ipfs/")
                .and_then(|path| path.strip_suffix("?format=raw"));
            match cid.and_then(|cid| blocks.get(cid)) {
                Some(block) => Page::Document("application/vnd.ipld.raw", block.clone()),
                None => Page::Status(404, Vec::new()),
            }
        })
    }
}

fn text(cid: &[u8]) -> String {
    format!("f{}", alloy_primitives::hex::encode(cid))
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap());
    out.extend_from_slice(bytes);
    out
}

#[test]
fn files_and_directories_of_ipfs_are_read() {
    let mut dag = Dag::default();
    let first = dag.raw(b"{\"a\":");
    let second = dag.node(2, b"1}", &[]);
    let file = dag.node(2, b"", &[("", &first), ("", &second)]);
    let inner = dag.node(1, b"", &[("agent 1.json", &file)]);
    let root = dag.node(1, b"", &[("other", &first), ("sub", &inner)]);
    let site = dag.serve();
    let settings = gateways(&[site.url()]);
    let at = |uri: String| read(&settings, &uri);

    for uri in [
        format!("ipfs://{}", text(&file)),
        format!("IPFS://{}/", text(&file)),
        format!("ipfs://{}/sub/agent%201.json", text(&root)),
    ] {
        let (read, problems) = at(uri);
        assert_eq!(&read.unwrap().bytes[..], b"{\"a\":1}");
        assert_eq!(problems, Vec::<String>::new());
    }
    let raw = at(format!("ipfs://{}/other", text(&root)));
    assert_eq!(&raw.0.unwrap().bytes[..], b"{\"a\":");
    // An inline block is asked of nobody.
    let before = site.asked().len();
    assert_eq!(&at("ipfs://f0155000141".into()).0.unwrap().bytes[..], b"A");
    assert_eq!(site.asked().len(), before);

    for (uri, why) in [
        (format!("ipfs://{}", text(&root)), "a directory instead of a file"),
        (format!("ipfs://{}/none", text(&root)), "no such file"),
        (format!("ipfs://{}/other/x", text(&root)), "a path below a file"),
        (
            format!("ipfs://{}/x", text(&file)),
            "a file instead of a directory",
        ),
        (format!("ipfs://{}?x", text(&file)), "a query"),
        (
            format!("ipfs://{}", text(&[&first[..4], [7; 32].as_slice()].concat())),
            "HTTP status 404",
        ),
        ("ipfs://example".to_owned(), "no content identifier"),
        ("ipfs:example".to_owned(), "is written"),
    ] {
        assert_unread(&at(uri), Reason::Unavailable, why);
    }
}

#[test]
fn a_known_file_of_ipfs_is_read() {
    // `hello world` with a newline, as `ipfs add` names it.
    let site = Site::start(|_| {
        Page::Document(
            "application/vnd.ipld.raw",
            b"\x0a\x12\x08\x02\x12\x0chello world\n\x18\x0c".to_vec(),
        )
    });
    let cid = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";
    let (read, _) = read(
        &gateways(&[format!("{}/base/", site.url())]),
        &format!("ipfs://{cid}"),
    );
    assert_eq!(&read.unwrap().bytes[..], b"hello world\n");
    assert_eq!(site.asked(), [format!("/base/ipfs/{cid}?format=raw")]);
}

#[test]
fn a_gateway_that_lies_is_loud_and_not_believed() {
    let mut dag = Dag::default();
    let part = dag.raw(b"good");
    let root = dag.node(2, b"", &[("", &part)]);
    let honest = dag.serve();
    let mut lies = dag.clone();
    lies.0.insert(text(&part), b"evil".to_vec());
    let lying = lies.serve();
    let uri = format!("ipfs://{}", text(&root));

    let alone = read(&gateways(&[lying.url()]), &uri);
    assert_unread(&alone, Reason::Unavailable, "ipfs-hash-mismatch");
    let (read, problems) = read(&gateways(&[lying.url(), honest.url()]), &uri);
    assert_eq!(&read.unwrap().bytes[..], b"good");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("ipfs-hash-mismatch"), "{}", problems[0]);
}

#[test]
fn without_a_gateway_ipfs_is_unsupported() {
    let outcome = read(
        &loopback(),
        "ipfs://QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
    );
    assert_unread(&outcome, Reason::Unsupported, "no IPFS gateway");
    assert!(Documents::new(&gateways(&["ftp://x".into()])).is_err());
}

#[test]
fn a_small_dag_cannot_unfold_without_bound() {
    let mut dag = Dag::default();
    let mut node = dag.raw(b"x");
    // 2^20 leaves in 21 blocks.
    for _ in 0..20 {
        node = dag.node(2, b"", &[("", &node), ("", &node)]);
    }
    let block = dag.raw(&vec![0; MAX_BLOCK_BYTES]);
    let wide = dag.node(
        2,
        b"",
        &[("", block.as_slice()); MAX_DOCUMENT_BYTES / MAX_BLOCK_BYTES + 1],
    );
    let huge = dag.raw(&vec![0; MAX_BLOCK_BYTES + 1]);
    let site = dag.serve();
    let settings = gateways(&[site.url()]);
    let deep = read(&settings, &format!("ipfs://{}", text(&node)));
    assert_unread(&deep, Reason::Unavailable, "MAX_BLOCKS");
    assert!(site.asked().len() <= MAX_BLOCKS);
    assert_unread(
        &read(&settings, &format!("ipfs://{}", text(&wide))),
        Reason::Unavailable,
        "more than",
    );
    assert_unread(
        &read(&settings, &format!("ipfs://{}", text(&huge))),
        Reason::Unavailable,
        "more than",
    );
}

#[test]
fn sharded_directories_and_links_are_not_read() {
    let mut dag = Dag::default();
    let leaf = dag.raw(b"x");
    let sharded = dag.node(5, b"", &[("00agent.json", &leaf)]);
    let symlink = dag.node(4, b"/etc/passwd", &[]);
    let twice = dag.node(1, b"", &[("a", &leaf), ("a", &sharded)]);
    let site = dag.serve();
    let settings = gateways(&[site.url()]);
    for (uri, why) in [
        (
            format!("ipfs://{}/agent.json", text(&sharded)),
            "a sharded directory",
        ),
        (format!("ipfs://{}", text(&symlink)), "a symbolic link"),
        (format!("ipfs://{}/a", text(&twice)), "two entries of one name"),
    ] {
        assert_unread(&read(&settings, &uri), Reason::Unavailable, why);
    }
}

#[test]
fn not_found_is_a_document_only_where_it_is_an_answer() {
    let raw = b"HTTP/1.1 404 Is\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    let site = Site::start(|_| Page::Raw(raw.to_vec()));
    assert_unread(&read(&loopback(), &site.url()), Reason::Unavailable, "404");
    let answer = |url: &str| {
        let documents = Documents::new(&loopback()).unwrap();
        let mut backend = WithDocuments::new(Rpc::<Http>::new(), documents);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime
            .block_on(run(&mut backend, CLOCK, BUDGET, |view| view.answer(url)))
            .value
    };
    assert_eq!(
        answer(&site.url()).map(|document| document.bytes),
        Ok(b"{}".as_slice().into())
    );
    let broken = Site::start(|_| Page::Status(500, Vec::new()));
    assert_eq!(answer(&broken.url()), Err(Unread::from(Reason::Unavailable)));
}
