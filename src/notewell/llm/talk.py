"""A model on a server, and its reply: what both dialects have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from notewell.errors import LlmError, NotewellError
from notewell.llm.dialect import Dialect, End, Fault, Question, Said
from notewell.llm.messages import MAX_TOKENS, Ended, Message, Piece, Text, Tool
from notewell.llm.rules import LlmRules, is_cloud
from notewell.llm.think import ThinkSplitter
from notewell.remote.address import ServerAddress, parse_address
from notewell.remote.endpoint import Endpoint, Failures, Patience, server_message
from notewell.remote.exchange import Answer
from notewell.remote.stream import Limits, Stream

# A reply is not tried again: whoever waits for it is answered without a model sooner.
ONCE = Patience(delays=())
CUT = "breaks off in the middle of its answer"


class RemoteModel:
    """A model on a server."""

    def __init__(self, rules: LlmRules, dialect: Dialect, name: str) -> None:
        base = base_address(rules, dialect)
        self.name = name
        self.server = str(base)
        self.is_here = base.is_here and not is_cloud(name)
        self.takes_tools = True
        self.dialect = dialect
        self.limits = Limits(silence=rules.timeout, whole=rules.max_seconds)
        failures = Failures(LlmError, dialect.title, partial(_hint, dialect, name))
        self.endpoint = Endpoint(base.at(dialect.path), failures=failures, key=rules.key, patience=ONCE)
        self.context = rules.context

    def reply(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, max_tokens: int = MAX_TOKENS
    ) -> RemoteReply:
        """Return the answer to a conversation; the texts must have been redacted."""
        allowed = tools if self.takes_tools else ()
        return RemoteReply(self, Question(self.name, messages, allowed, max_tokens, self.context))

    def refusal(self, answer: Answer, secret: Sequence[str]) -> NotewellError:
        """Return the error of a server that is not there, or refuses."""
        if answer.cause != "unreachable":
            return self.endpoint.refusal(answer, secret)
        reason = answer.reason.removeprefix("cannot be reached: ")
        detail = "" if reason == "Connection refused" else f" ({reason})"
        return LlmError(f"No model answers at {self.server}{detail}", self.dialect.when_down)


class RemoteReply:
    """The pieces of one answer; the request is made when the first one is asked for."""

    def __init__(self, model: RemoteModel, question: Question) -> None:
        self.ended: Ended = ""
        self._model = model
        self._question = question
        self._secret = [text for message in question.messages for text in _texts(message)]
        self._stream: Stream | None = None
        self._pieces = self._run()

    def __iter__(self) -> RemoteReply:
        return self

    def __next__(self) -> Piece:
        if self.ended == "closed":
            raise StopIteration
        return next(self._pieces)

    def close(self) -> None:
        """End it from any thread; a thread that waits for a piece gets no more."""
        self.ended = self.ended or "closed"
        stream = self._stream
        if stream:
            stream.close()

    def _run(self) -> Iterator[Piece]:
        stream = self._open()
        if stream is None:
            return
        splitter = ThinkSplitter()
        try:
            for said in self._said(stream):
                if isinstance(said, Text):
                    yield from splitter.feed(said.text)
                    continue
                yield from splitter.flush()
                if isinstance(said, End):
                    self.ended = self.ended or said.how
                    return
                if isinstance(said, Fault):
                    raise self._broken(said)
                yield said
        finally:
            stream.close()

    def _open(self) -> Stream | None:
        """Return the answer, if need be to a request without what the server refused; None if closed meanwhile."""
        endpoint, dialect = self._model.endpoint, self._model.dialect
        body = dialect.body(self._question)
        while True:
            self._stream = stream = Stream(endpoint.address, endpoint.request(body), self._model.limits)
            # Looked at after the stream is there to be closed: nobody closes in between.
            if self.ended:
                return None
            answer = stream.open()
            if stream.is_closed:
                return None
            if answer.status == 200:
                return stream
            repaired = dialect.repair(body, server_message(answer.body).lower()) if answer.status >= 400 else None
            if repaired is None:
                raise self._model.refusal(answer, self._secret)
            if "tools" in body and "tools" not in repaired:
                self._model.takes_tools = False
            body = repaired

    def _said(self, stream: Stream) -> Iterator[Said]:
        reader = self._model.dialect.reader(sum(len(message.calls) for message in self._question.messages))
        empty = True
        for line in stream:
            empty = empty and not line
            yield from reader.read(line)
        if stream.is_closed:
            return
        if stream.failed:
            raise self._model.refusal(stream.failed, self._secret)
        yield from reader.finish()
        yield Fault("answers with nothing" if empty else CUT)

    def _broken(self, fault: Fault) -> NotewellError:
        quoted = self._model.endpoint.quoted(fault.body, self._secret) if fault.body else ""
        answer = Answer(cause="cut") if fault.fact == CUT else Answer(200)
        return self._model.endpoint.error(fault.fact + quoted, answer)


def base_address(rules: LlmRules, dialect: Dialect) -> ServerAddress:
    """Return the address of the server, without a path that the user may have copied with it."""
    if not (rules.url or dialect.url):
        raise LlmError(
            f"'{rules.model}' needs an address, but llm.url is empty",
            "Set NOTEWELL_LLM_URL, such as https://api.openai.com/v1 or http://127.0.0.1:8080",
        )
    return parse_address(rules.url or dialect.url).above(dialect.path)


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    yield from (call.arguments for call in message.calls)


def _hint(dialect: Dialect, name: str, answer: Answer) -> str:
    status = answer.status
    if status in (401, 403):
        return "Set NOTEWELL_LLM_KEY; it is only sent to an llm.url that you set outside the vault"
    if status == 404:
        return dialect.when_missing.format(name=name)
    if 300 <= status < 400:
        return "Set llm.url to the address it redirects to, if you trust it"
    if answer.cause == "slow":
        return "Try a smaller model, or raise llm.timeout and llm.max_seconds"
    if answer.cause == "large":
        return "Ask again, or try another model: this one does not stop"
    if answer.cause == "cut" or status in (408, 425, 429) or status >= 500:
        return "Ask again in a moment; if it happens again, read the server's log"
    return dialect.when_wrong.format(name=name)
