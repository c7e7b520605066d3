use super::*;
use presight_view::rpc::BlockTag;

fn parse(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::parse(text, "presight.toml", Path::new("/etc/presight"), variables)
}

#[test]
fn an_empty_file_listens_on_this_machine_alone() {
    let config = parse("", &[]).unwrap();
    assert!(config.listen.ip().is_loopback());
    assert!(config.chains.is_empty() && config.views.is_empty());
}

#[test]
fn every_key_is_read_and_paths_are_relative_to_the_file() {
    let config = parse(
        r#"
listen = "0.0.0.0:80"
key-file = "key"
registry = "eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432"
agent-id = "42"
endpoint = "https://example.com/api/presign"
views = ["a.json", "/b.json"]
policies = "policies"
policy = "tiers"
ipfs-gateway = ["http://127.0.0.1:8080"]
[chain."eip155:1"]
nodes = ["http://a", "http://b"]
read = "quorum=2"
block = "safe"
prove = true
spec = "prague"
node-execution = "any"
max-lag-blocks = 1
poll-seconds = 2
node-requests = 3
[limits]
deadline-seconds = 5
client-per-second = 1
client-burst = 2
all-per-second = 3
all-burst = 4
running = 5
queue = 0
connections = 7
cache-seconds = 0
cache-bytes = 9
shutdown-seconds = 10
[http]
cors-origins = ["*"]
client-address-header = "X-Real-IP"
hosts = ["example.com"]
[log]
format = "json"
level = "debug"
"#,
        &[],
    )
    .unwrap();
    assert_eq!(
        config.source.key_file.as_deref(),
        Some(Path::new("/etc/presight/key"))
    );
    assert_eq!(
        config.views,
        [Path::new("/etc/presight/a.json"), Path::new("/b.json")]
    );
    let chain = &config.chains[&ChainId::evm(1)];
    assert_eq!(chain.read, ReadMode::Quorum(2));
    assert_eq!(chain.settings.block, BlockTag::Safe);
    assert!(chain.settings.prove);
    assert_eq!(config.limits.queue, 0);
    assert_eq!(
        config.http.client_address_header,
        Some("x-real-ip".parse().unwrap())
    );
    assert_eq!(config.log.format, LogFormat::Json);
}

#[test]
fn the_environment_has_every_key_and_counts() {
    let config = parse(
        "listen = \"127.0.0.1:1\"\n[limits]\nqueue = 1\n",
        &[
            ("PRESIGHT_LISTEN", "127.0.0.1:2"),
            ("PRESIGHT_LIMITS_QUEUE", "3"),
            ("PRESIGHT_UNSIGNED", "true"),
            ("PRESIGHT_CHAIN_EIP155_10_NODES", "http://a, http://b"),
            ("PRESIGHT_CHAIN_EIP155_10_READ", "quorum=2"),
            ("HOME", "/root"),
        ],
    )
    .unwrap();
    assert_eq!(config.listen.port(), 2);
    assert_eq!(config.limits.queue, 3);
    assert!(config.source.unsigned);
    assert_eq!(config.chains[&ChainId::evm(10)].nodes, ["http://a", "http://b"]);
}

#[test]
fn what_is_not_known_is_an_error_with_its_place() {
    let error = parse("listen = \"127.0.0.1:1\"\n\n[limits]\n  queues = 1\n", &[]).unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("unknown-key", "presight.toml:4:3")
    );
    let error = parse("", &[("PRESIGHT_LIMIT_QUEUE", "1")]).unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("unknown-variable", "PRESIGHT_LIMIT_QUEUE")
    );
    let error = parse(
        "[chain.\"eip155:1\"]\nnodes = [\"http://a\"]\nblok = \"safe\"\n",
        &[],
    )
    .unwrap_err();
    assert_eq!(
        (error.code, error.place.as_str()),
        ("unknown-key", "presight.toml:3:1")
    );
}

#[test]
fn a_bad_value_is_an_error_with_its_place() {
    for (text, code, place) in [
        ("listen = 8481", "bad-type", "presight.toml:1:1"),
        ("listen = \"here\"", "bad-value", "presight.toml:1:1"),
        ("unsigned = \"yes\"", "bad-type", "presight.toml:1:1"),
        ("[limits]\nrunning = 0", "bad-value", "presight.toml:2:1"),
        ("[limits]\nrunning = -1", "bad-value", "presight.toml:2:1"),
        ("views = [1]", "bad-type", "presight.toml:1:1"),
        ("listen = ", "config-syntax", "presight.toml:1:10"),
        (
            "[chain.\"eip155:1\"]\nblock = \"safe\"",
            "no-nodes",
            "chain.\"eip155:1\"",
        ),
        (
            "[chain.ethereum]\nnodes = [\"http://a\"]",
            "bad-chain",
            "chain.\"ethereum\"",
        ),
        (
            "[chain.\"eip155:1\"]\nnodes = [\"http://a\"]\nread = \"quorum=2\"",
            "bad-value",
            "presight.toml:3:1",
        ),
        (
            "[http]\ncors-origins = [\"https://a.example/\"]",
            "bad-value",
            "presight.toml:2:1",
        ),
        (
            "[http]\nclient-address-header = \"X Y\"",
            "bad-value",
            "presight.toml:2:1",
        ),
        (
            "[log]\nlevel = \"shout=loud=x\"",
            "bad-value",
            "presight.toml:2:1",
        ),
    ] {
        let error = parse(text, &[]).unwrap_err();
        assert_eq!((error.code, error.place.as_str()), (code, place), "{text}");
    }
}
