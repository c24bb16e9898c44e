"""Made-up keys in the shapes of real ones; put together here, so that no file holds any."""

from collections.abc import Iterator

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4"
HEX = "0123456789abcdef" * 4
UPPER = "A1B2C3D4E5F6G7H8I9J0"

KEYS = {
    "anthropic": f"sk-ant-api03-{MIXED}-{MIXED}AA",
    "openai": f"sk-{MIXED}",
    "openai project": f"sk-proj-{MIXED}_{MIXED}-x",
    "openai letters only": "sk-" + "abcdefghij" * 3,
    "openrouter": f"sk-or-v1-{HEX}",
    "google": f"AIzaSy{MIXED[:33]}",
    "google access": f"ya29.a0AfH6SMB{MIXED}-x",
    "google client": f"GOCSPX-{MIXED[:28]}",
    "groq": f"gsk_{MIXED}",
    "hugging face": f"hf_{MIXED[:34]}",
    "xai": f"xai-{MIXED}",
    "perplexity": f"pplx-{MIXED}",
    "replicate": f"r8_{MIXED[:37]}",
    "tavily": f"tvly-{MIXED[:32]}",
    "nvidia": f"nvapi-{MIXED}_-{MIXED[:10]}",
    "github classic": f"ghp_{MIXED[:36]}",
    "github oauth": f"gho_{MIXED[:36]}",
    "github user": f"ghu_{MIXED[:36]}",
    "github server": f"ghs_{MIXED[:36]}",
    "github refresh": f"ghr_{MIXED[:36]}",
    "github fine": f"github_pat_11ABCDEFG0{MIXED}_{MIXED}",
    "gitlab": f"glpat-{MIXED[:20]}",
    "npm": f"npm_{MIXED[:36]}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{MIXED}",
    "linear": f"lin_api_{MIXED[:40]}",
    "aws id": f"AKIA{UPPER[:16]}",
    "aws session id": f"ASIA{UPPER[:16]}",
    "digital ocean": f"dop_v1_{HEX}",
    "vault": f"hvs.{MIXED}",
    "stripe live": f"sk_live_{MIXED[:24]}",
    "stripe test": f"sk_test_{MIXED[:24]}",
    "stripe restricted": f"rk_live_{MIXED[:24]}",
    "stripe webhook": f"whsec_{MIXED[:32]}",
    "sendgrid": f"SG.{MIXED[:22]}.{MIXED[:43]}",
    "slack bot": f"xoxb-123456789012-{MIXED[:24]}",
    "slack user": f"xoxp-123456789012-{MIXED[:24]}",
    "shopify": f"shpat_{HEX[:32]}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.{MIXED[:43]}",
    "age": f"AGE-SECRET-KEY-1{UPPER * 3}",
    "rsa": f"-----BEGIN RSA PRIVATE KEY-----\n{MIXED}\n{MIXED}\n-----END RSA PRIVATE KEY-----",
    "openssh": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{MIXED}\n-----END OPENSSH PRIVATE KEY-----",
    "pgp": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{MIXED}\n-----END PGP PRIVATE KEY BLOCK-----",
}
SURROUNDINGS = ("KEY = '{}'", '{{"key": "{}"}}', "key: {}\nnext: line", "--key={} --verbose")
NAMED = {
    "Authorization: Bearer {}": f"{MIXED}==",
    "authorization: bearer {}": "abc123def456",
    "postgres://{}@db/x": "me:s3cret",
    "https://{}@example.com/": f"oauth2:{MIXED}",
    "OPENAI_API_KEY={}\nPATH=/bin": MIXED,
    "export AZURE_API_KEY={}": HEX[:32],
    "AWS_SECRET_ACCESS_KEY={}": f"{MIXED[:20]}/{MIXED[:19]}",
    "DJANGO_SECRET_KEY={}": MIXED,
    "CI_JOB_TOKEN={}": MIXED[:20],
    "OAUTH_CLIENT_SECRET={}": f"{MIXED[:20]}~x.y",
    "PGPASSWORD={}": f"{MIXED[:16]}",
    "aws_secret_access_key = {}": f"{MIXED[:20]}/{MIXED[:19]}",
    '"SecretAccessKey": "{}"': f"{MIXED[:20]}+{MIXED[:19]}",
    "AccountName=x;AccountKey={};EndpointSuffix": f"{MIXED}{MIXED[:38]}==",
    "https://hooks.slack.com/services/{}": f"T0{UPPER[:9]}/B0{UPPER[:9]}/{MIXED[:24]}",
}


def texts_with_keys() -> Iterator[tuple[str, str, str]]:
    """What to call it, a text with a key in it, and the same without."""
    for name, key in KEYS.items():
        for number, around in enumerate(SURROUNDINGS):
            yield f"{name} {number}", around.format(key), around.format("***")
    for around, key in NAMED.items():
        yield around, around.format(key), around.format("***")
