"""The secrets that say whose they are: by their beginning, by an address, or by the vendor's name beside them."""

from __future__ import annotations

import re
from base64 import b64encode
from itertools import product
from random import Random

from notewell.redact.rule import (
    BASE64,
    DIGITS,
    HEX,
    START,
    Made,
    Rule,
    any_case,
    exactly,
    named,
    says_something,
    some,
    token,
    written,
)

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_UUID_FORM = "{h8}-{h4}-{h4}-{h4}-{h12}"
# A hyphenated name without a digit or a capital is a word: `sk-loading-indicator-large`.
_MIXED = r"(?=[A-Za-z_-]{0,60}\d)(?=[\d_-]{0,60}[A-Za-z])"
_END = r"(?![A-Za-z0-9])"

MODELS = (
    token("anthropic-key", "sk-ant-", r"[\w-]{20,200}", "sk-ant-api03-{s93}AA", "sk-ant-oat01-{s95}"),
    token("openrouter-key", "sk-or-", r"v\d-[0-9a-f]{40,80}", "sk-or-v1-{h64}"),
    token(
        "openai-key",
        "sk-",
        rf"(?!ant-|or-)(?:(?:proj|svcacct|admin|None|lf)-[\w-]{{20,256}}|{_MIXED}[A-Za-z0-9]{{20,128}}){_END}",
        "sk-{a48}",
        "sk-proj-{s156}",
        "sk-svcacct-{s120}",
        "sk-admin-{s100}",
    ),
    token("groq-key", "gsk_", r"[A-Za-z0-9]{40,64}", "gsk_{a52}"),
    token("xai-key", "xai-", r"[A-Za-z0-9]{60,100}", "xai-{a80}"),
    token("perplexity-key", "pplx-", r"[A-Za-z0-9]{32,64}", "pplx-{a48}"),
    token("replicate-token", "r8_", r"[A-Za-z0-9]{32,48}", "r8_{a37}"),
    token("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,48}" + _END, "hf_{c34}", "api_org_{c34}"),
    token("nvidia-key", "nvapi-", r"[\w-]{50,90}", "nvapi-{s64}"),
    token("langsmith-key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_pt_{h32}_{h10}"),
    token("pinecone-key", "pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}", "pcsk_{a6}_{a63}"),
)

CODE = (
    token(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        r"[A-Za-z0-9]{30,255}",
        "ghp_{a36}",
        "gho_{a36}",
        "ghs_{a36}",
        "ghr_{a76}",
    ),
    token("github-fine-grained-token", "github_pat_", r"\w{40,255}", "github_pat_{a22}_{a59}"),
    token(
        "gitlab-token",
        "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas-",
        r"[\w.-]{19,300}",
        "glpat-{s20}",
        "gldt-{s20}",
        "glptt-{h40}",
        "glrt-{s20}",
    ),
    token("bitbucket-password", "ATBB", r"[A-Za-z0-9]{24,40}" + _END, "ATBB{a32}"),
    token("atlassian-token", "ATATT3 ATCTT3", r"[\w=-]{60,300}", "ATATT3{s180}={H8}"),
    token("npm-token", "npm_", r"[A-Za-z0-9]{36}" + _END, "npm_{a36}"),
    token("pypi-token", "pypi-AgE", r"[\w-]{50,400}", "pypi-AgE{s150}"),
    token("rubygems-key", "rubygems_", r"[0-9a-f]{40,64}", "rubygems_{h48}"),
    token("clojars-token", "CLOJARS_", r"[0-9a-f]{50,70}", "CLOJARS_{h60}"),
    token("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{20,64}", "dckr_pat_{s27}", "dckr_oat_{s32}"),
    token("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-{h24}-{h34}"),
    token("sonar-token", "sqp_ squ_ sqa_", r"[0-9a-f]{40}" + _END, "squ_{h40}"),
    token("circleci-token", "CCIPAT_", r"\w{20,80}", "CCIPAT_{a22}_{h40}"),
    token("buildkite-token", "bkua_", r"[0-9a-f]{40}" + _END, "bkua_{h40}"),
    token("sourcegraph-token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}" + _END, "sgp_{h40}"),
    token("artifactory-key", "AKCp", r"[A-Za-z0-9]{60,80}" + _END, "AKCp{a69}"),
    token("nuget-key", "oy2", r"[a-z0-9]{43}" + _END, "oy2{l43}"),
)

CLOUDS = (
    token(
        "aws-key-id",
        "AKIA ASIA ABIA ACCA AGPA AIDA AROA ANPA",
        r"[A-Z0-9]{16}(?![A-Za-z0-9+/])",
        "AKIA{u16}",
        "ASIA{u16}",
    ),
    Rule(
        "aws-secret-key",
        ("aws", "secret_access", "secretaccess", "secret access"),
        any_case(
            r"(?<![A-Za-z0-9])(?:aws[\w. -]{0,24}(?:secret|key)|secret[_ ]?access[_ ]?key)[\w. -]{0,16}"
            r"[\"'`*|]{0,3}\s{0,3}(?:=>?|:|\||\bis\b)?\s{0,3}[\"'`*]{0,3}"
            r"(?P<secret>(?-i:[A-Za-z0-9/+]{40}))(?![A-Za-z0-9/+=])"
        ),
        written("aws_secret_access_key = «{b40}»"),
        check=says_something,
    ),
    token("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,200}={0,2}", "ABSK{b128}"),
    token("google-api-key", "AIza", r"[\w-]{35}(?![A-Za-z0-9-])", "AIza{s35}"),
    token("google-oauth-secret", "GOCSPX-", r"[\w-]{24,40}", "GOCSPX-{s28}"),
    token("google-access-token", "ya29.", r"[\w.-]{30,500}", "ya29.a0{s160}"),
    token("google-refresh-token", "1//0", r"[\w-]{40,200}", "1//0{s99}"),
    Rule(
        "google-service-account",
        ("private_key_id",),
        any_case(r"private_key_id[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[0-9a-f]{40})"),
        written('"private_key_id": "«{h40}»"'),
        check=says_something,
    ),
    Rule(
        "azure-key",
        ("accountkey", "sharedaccesskey", "sharedsecret"),
        any_case(r"(?:AccountKey|SharedAccessKey|SharedSecret)\s?=\s?(?P<secret>[A-Za-z0-9+/%]{40,100}={0,2})"),
        written("DefaultEndpointsProtocol=https;AccountName=store;AccountKey=«{b86}==»;EndpointSuffix=core"),
        check=says_something,
    ),
    Rule(
        "azure-signature",
        ("sig=",),
        any_case(r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/_-]{40,100}={0,2})"),
        written("https://store.blob.core.windows.net/box?sv=2024-01-01&sp=r&sig=«{a40}%2B{a10}%3D»"),
        check=says_something,
    ),
    Rule(
        "azure-client-secret",
        tuple(digit + "Q~" for digit in DIGITS),
        exactly(START + r"(?P<secret>[\w.~-]{3}\dQ~[\w.~-]{31,34})(?![A-Za-z0-9~-])"),
        written("{a3}8Q~{a34}"),
        check=says_something,
        lead=3,
        sure=True,
    ),
    token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}", "dop_v1_{h64}", "doo_v1_{h64}"),
    token("heroku-key", "HRKU-", r"[\w-]{36,80}", "HRKU-AA{s58}", "HRKU-" + _UUID_FORM),
    named("heroku-key-by-name", "heroku", _UUID, "HEROKU_API_KEY=«" + _UUID_FORM + "»"),
    token("cloudflare-turnstile-secret", "0x4AAAAA", r"[\w-]{24,40}(?![A-Za-z0-9-])", "0x4AAAAA{s27}"),
    token("cloudflare-origin-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}", "v1.0-{h24}-{h146}"),
    named("cloudflare-token", "cloudflare cf_api", r"[\w-]{37,40}", "CLOUDFLARE_API_TOKEN=«{a40}»"),
    token("fly-token", "fm2_ fo1_", r"[A-Za-z0-9+/=_-]{40,500}", "fm2_{b200}", "fo1_{s43}"),
    token("vercel-token", "vcp_ vck_ vca_", r"[A-Za-z0-9]{24,80}", "vcp_{a56}"),
    named("vercel-token-by-name", "vercel", r"[A-Za-z0-9]{24}", "VERCEL_TOKEN=«{a24}»"),
    token("netlify-token", "nfp_ nfc_", r"[A-Za-z0-9]{36,60}", "nfp_{a36}"),
    token("alibaba-key-id", "LTAI", r"[A-Za-z0-9]{16,24}" + _END, "LTAI5t{a18}"),
    token("supabase-key", "sbp_ sb_secret_", r"[\w-]{28,60}", "sbp_{h40}", "sb_secret_{s31}"),
    token("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{32,64}", "pscale_tkn_{s43}"),
    token("databricks-token", "dapi dose", r"[0-9a-f]{32}(?:-\d)?" + _END, "dapi{h32}", "dapi{h32}-2"),
    token("tailscale-key", "tskey-", r"[a-z]{2,12}-[\w-]{20,80}", "tskey-auth-{a12}CNTRL-{a32}"),
    Rule(
        "terraform-token",
        (".atlasv1.",),
        exactly(START + r"(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})"),
        written("{a14}.atlasv1.{a67}"),
        check=says_something,
        lead=14,
        sure=True,
    ),
    token("pulumi-token", "pul-", r"[0-9a-f]{40}" + _END, "pul-{h40}"),
    token("vault-token", "hvs. hvb. hvr.", r"[\w-]{24,300}", "hvs.{s95}", "hvb.{s160}"),
    token("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{40,80}", "dp.pt.{a43}"),
    token("grafana-token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{32,400}", "glsa_{a32}_{h8}", "glc_{b120}"),
    token("newrelic-key", "NRAK- NRII- NRJS- NRRA-", r"[A-Za-z0-9_-]{19,48}" + _END, "NRAK-{u27}"),
    token("sentry-token", "sntrys_ sntryu_", r"[\w+/=-]{60,300}", "sntryu_{h64}", "sntrys_eyJ{b140}"),
    token("dynatrace-token", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0c01.{u24}.{u64}"),
    named("datadog-key", "datadog dd_api dd_app dd-api", r"[0-9a-f]{32}(?:[0-9a-f]{8})?", "DD_API_KEY=«{h32}»"),
    named("okta-token", "okta ssws", r"00[\w-]{40}", "OKTA_API_TOKEN=«00{s40}»"),
)

TALK = (
    token(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xox",
        r"[A-Za-z0-9%-]{10,400}",
        "xoxb-{d12}-{d13}-{a24}",
        "xoxp-{d12}-{d12}-{d13}-{h32}",
        "xapp-1-A{u10}-{d13}-{h64}",
    ),
    Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        exactly(r"hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200})"),
        written("https://hooks.slack.com/«services/T{u9}/B{u10}/{a24}»"),
        check=says_something,
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        exactly(r"(?:discord|discordapp)\.com/api/webhooks/(?P<secret>\d{10,24}/[\w-]{40,100})"),
        written("https://discord.com/api/webhooks/«{d18}/{s68}»"),
        check=says_something,
        lead=14,
    ),
    Rule(
        "discord-token",
        # The base64 of a number, which the first part of the token is, begins with one of these.
        tuple(map("".join, product("MNO", "DTjz", "AEIMQUYcgk"))),
        exactly(START + r"[MNO][DTjz][AEIMQUYcgk][\w-]{20,25}\.[\w-]{6}\.[\w-]{27,45}(?![A-Za-z0-9])"),
        written("MTE{a21}.G{a5}.{s38}"),
        check=says_something,
        sure=True,
    ),
    Rule(
        "telegram-token",
        (":AA",),
        exactly(r"(?<!\d)(?P<secret>\d{8,10}:AA[\w-]{32,34})(?![A-Za-z0-9-])"),
        written("{d10}:AA{s33}"),
        check=says_something,
        lead=10,
        sure=True,
    ),
    Rule(
        "teams-webhook",
        ("webhook.office.com/",),
        exactly(r"webhook\.office\.com/webhookb2/(?P<secret>[\w@-]{36,80}/IncomingWebhook/[\w/-]{36,120})"),
        written(
            f"https://team.webhook.office.com/webhookb2/«{_UUID_FORM}@{_UUID_FORM}/IncomingWebhook/{{h32}}/{_UUID_FORM}»"
        ),
        check=says_something,
    ),
    token("twilio-key", " ".join("SK" + digit for digit in HEX), r"[0-9a-f]{31}" + _END, "SK{h32}"),
    named("twilio-token", "twilio", r"[0-9a-f]{32}", "TWILIO_AUTH_TOKEN=«{h32}»"),
    token("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{32,64}", "SG.{s22}.{s43}"),
    token("mailgun-key", "key-", r"[0-9a-f]{32}" + _END, "key-{h32}"),
    named(
        "mailgun-key-by-name", "mailgun", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}", "MAILGUN_API_KEY=«{h32}-{h8}-{h8}»"
    ),
    Rule(
        "mailchimp-key",
        ("-us",),
        exactly(START + r"(?P<secret>[0-9a-f]{32}-us\d{1,2})" + _END),
        written("{h32}-us{d2}"),
        check=says_something,
        lead=32,
        sure=True,
    ),
    token("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-{h64}-{a16}"),
    token("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}" + _END, "re_{a8}_{a24}"),
)

WORK = (
    token(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_org_",
        r"[A-Za-z0-9+/=]{16,200}",
        "sk_live_{a24}",
        "sk_test_51{a97}",
        "rk_live_{a99}",
        "whsec_{a32}",
    ),
    token("square-token", "sq0atp- sq0csp- EAAAE EAAAl", r"[\w-]{22,80}", "sq0atp-{s22}", "sq0csp-{s43}", "EAAAE{s59}"),
    token("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}", "shpat_{h32}", "shpss_{h32}"),
    token("razorpay-key", "rzp_live_ rzp_test_", r"[A-Za-z0-9]{14}" + _END, "rzp_live_{a14}"),
    token("flutterwave-key", "FLWSECK-", r"[\w-]{20,60}", "FLWSECK-{h32}-X"),
    token("notion-token", "ntn_", r"[A-Za-z0-9]{40,60}" + _END, "ntn_{d11}{a35}"),
    token("notion-secret", "secret_", r"[A-Za-z0-9]{43}" + _END, "secret_{a43}"),
    token("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,64}", "lin_api_{a40}", "lin_oauth_{h64}"),
    token("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat{a14}.{h64}"),
    token("figma-token", "figd_ figo_", r"[\w-]{36,60}", "figd_{s40}"),
    token("dropbox-token", "sl.", r"(?:u\.)?[\w-]{60,1500}" + _END, "sl.{s135}", "sl.u.{s140}"),
    token("typeform-token", "tfp_", r"[\w.-]{40,70}", "tfp_{a44}_{a14}"),
    token("contentful-token", "CFPAT-", r"[\w-]{43}", "CFPAT-{s43}"),
    token("readme-key", "rdme_", r"[a-z0-9]{70}", "rdme_{l70}"),
    token("clickup-token", "pk_", r"\d{6,9}_[A-Z0-9]{32}" + _END, "pk_{d8}_{u32}"),
    token("klaviyo-key", "pk_", r"[0-9a-f]{34}" + _END, "pk_{h34}"),
    token("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}", "shippo_live_{h40}"),
    token("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54,58}" + _END, "EZAK{a54}"),
    token("mapbox-secret", "sk.eyJ", r"[\w-]{40,200}\.[\w-]{20,40}", "sk.eyJ{a80}.{s22}"),
    token("facebook-token", "EAAC EAAB EAAG EAAD", r"[A-Za-z0-9]{80,300}" + _END, "EAAC{a160}"),
    token("launchdarkly-key", "sdk- api-", _UUID + _END, "sdk-" + _UUID_FORM, "api-" + _UUID_FORM),
    token("onepassword-token", "ops_eyJ", r"[\w+/=-]{100,2000}", "ops_eyJ{s300}"),
    token(
        "onepassword-secret-key", "A3-", r"[A-Z0-9]{6}(?:-[A-Z0-9]{5,6}){5}" + _END, "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"
    ),
    token("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,70}", "AGE-SECRET-KEY-1{u58}"),
    token("nostr-key", "nsec1", r"[a-z0-9]{58}" + _END, "nsec1{l58}"),
    token("bitcoin-key", "xprv yprv zprv", r"[A-Za-z0-9]{100,112}" + _END, "xprv9{a106}"),
)


def _wrapped(head: str) -> str:
    return b64encode(head.encode("ascii")).decode("ascii")[: len(head) * 4 // 3]


_DASHES = "-" * 5
# Keys in base64 once more, as kubeconfig files hold them. Certificates begin alike, and are public.
_PEM_HEADS = [_wrapped(f"{_DASHES}BEGIN {kind}PRIVATE") for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "")]


def _wrapped_key(chance: Random) -> Made:
    secret = chance.choice(_PEM_HEADS) + some(chance, BASE64, 800) + "=="
    return Made("client-key-data: " + secret, secret)


WRAPPED = (
    Rule(
        "private-key-in-base64",
        (_wrapped(f"{_DASHES}BEGIN"),),
        exactly(f"(?:{'|'.join(map(re.escape, _PEM_HEADS))})[A-Za-z0-9+/]{{40,20000}}={{0,2}}"),
        _wrapped_key,
    ),
)

VENDORS: tuple[Rule, ...] = (*MODELS, *CODE, *CLOUDS, *TALK, *WORK, *WRAPPED)
