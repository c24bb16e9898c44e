"""A certificate of localhost, 127.0.0.1 and model.example; its key is no secret."""

import ssl
from pathlib import Path

PEM = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglVL/xeO/hfPr0UGA
pDMBf50friPM11Fn46MMafQhP3uhRANCAASNC9E6CEW+qAj1YcT3qeHyvQ7m3Kkz
5OZAoCLNYbVHETE5RdYwJzvC0HcqQMJK2nAIMY8pvUrC6k6vejc3DZSt
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBtDCCAVqgAwIBAgIUB2uGtlPD7BRNYlAktrn68MP6LtcwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOcm9vIGNvZGUgdGVzdHMwIBcNMjYxMTE1MjMwNDMyWhgPMjEy
NjEwMjIyMzA0MzJaMBkxFzAVBgNVBAMMDnJvbyBjb2RlIHRlc3RzMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEjQvROghFvqgI9WHE96nh8r0O5typM+TmQKAizWG1
RxExOUXWMCc7wtB3KkDCStpwCDGPKb1KwupOr3o3Nw2UraN+MHwwHQYDVR0OBBYE
FJKPEvDF+kNXAEceKkSCPgf1JOR5MB8GA1UdIwQYMBaAFJKPEvDF+kNXAEceKkSC
Pgf1JOR5MA8GA1UdEwEB/wQFMAMBAf8wKQYDVR0RBCIwIIIJbG9jYWxob3N0gg1t
b2RlbC5leGFtcGxlhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIAuu4QmVlEW+ZrEH
TsV0MwsBbQlMMo4S5n/aXXe1YVeHAiEA2qyYugJyES2m7sPS6UNrNNs8qwvR5HbA
a4JQzU4H46k=
-----END CERTIFICATE-----
"""


def server_context(folder: Path) -> ssl.SSLContext:
    file = folder / "certificate.pem"
    file.write_text(PEM, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
