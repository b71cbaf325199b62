// A small language model behind OpenAI's chat endpoint, on this machine only: `node server.mjs MODEL.gguf [THREADS]`.
// It prints its address when it is ready. Run it in a folder where node-llama-cpp is installed. On a machine that is busy
// with other work, one thread is faster than several that wait for each other.

import {createServer} from "node:http";
import {createRequire} from "node:module";
import {basename, join} from "node:path";
import {pathToFileURL} from "node:url";

const [file, threads] = process.argv.slice(2);
const NAME = basename(file, ".gguf");
// All that the model was trained for.
const CONTEXT = 8192;

// From the folder where it is installed, which is not that of this script.
const installed = createRequire(join(process.cwd(), "package.json")).resolve("node-llama-cpp");
const {getLlama, LlamaChatSession} = await import(pathToFileURL(installed).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error"});
const model = await llama.loadModel({modelPath: file});
const context = await model.createContext({contextSize: CONTEXT, threads: Number(threads ?? 2)});
const sequence = context.getSequence();

// One answer at a time: there is one context.
let before = Promise.resolve();

async function answer({messages, max_tokens, temperature}, signal, write) {
    const last = messages.at(-1);
    await sequence.clearHistory();
    const session = new LlamaChatSession({contextSequence: sequence, systemPrompt: ""});
    session.setChatHistory(messages.slice(0, -1).map(({role, content}) => (
        role === "assistant" ? {type: "model", response: [content]} : {type: role, text: content}
    )));
    const {stopReason} = await session.promptWithMeta(last.content, {
        maxTokens: max_tokens, temperature: temperature ?? 0, signal, stopOnAbortSignal: true, onTextChunk: write,
    });
    session.dispose({disposeSequence: false});
    return stopReason === "maxTokens" ? "length" : "stop";
}

function chunk(delta, finish = null) {
    const choices = [{index: 0, delta, finish_reason: finish}];
    return `data: ${JSON.stringify({object: "chat.completion.chunk", model: NAME, choices})}\n\n`;
}

async function chat(asked, response) {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    response.writeHead(200, {"Content-Type": "text/event-stream"});
    const turn = before.then(() => gone.signal.aborted || answer(asked, gone.signal, (content) => {
        response.write(chunk({content}));
    }));
    before = turn.catch(() => {});
    try {
        response.end(chunk({}, await turn) + "data: [DONE]\n\n");
    } catch (error) {
        // Such as a prompt that is longer than the context.
        response.end(`data: ${JSON.stringify({error: {message: String(error.message)}})}\n\n`);
    }
}

const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const json = (status, body) => response.writeHead(status, {"Content-Type": "application/json"}).end(JSON.stringify(body));
    if (request.url === "/v1/models") return json(200, {object: "list", data: [{id: NAME, object: "model"}]});
    if (request.url !== "/v1/chat/completions") return json(404, {error: {message: "There is no such endpoint"}});
    const asked = JSON.parse(Buffer.concat(parts));
    if (asked.model !== NAME) return json(404, {error: {message: `There is no model ${asked.model}`}});
    return chat(asked, response);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
