import { type ChildProcess } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Platform } from "obsidian";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Client } from "../src/client";
import type { Connection } from "../src/connection";
import { Gone } from "../src/problem";
import { connect, indexed, makeVault, newToken, PROGRAM, remove, Sender } from "./real";

let folder: string;
let connection: Connection;
let address: string;

beforeAll(async () => {
    Platform.isDesktop = true;
    folder = makeVault();
    connection = connect(folder, { starts: true });
    address = await connection.ask((client) => Promise.resolve(client.address));
    await indexed(connection);
});

afterAll(() => {
    connection.end();
    remove(folder);
});

test("a search finds lines of notes, with the words of the query marked", async () => {
    const results = await connection.ask((client) => client.search("why did the loaf spread", { limit: 5, refresh: true }));
    const [best] = results.hits;
    expect(best).toMatchObject({ path: "Bread.md", title: "Bread" });
    expect(best?.excerpt.line).toBe(7);
    const [[from, to]] = best?.excerpt.highlights as [[number, number]];
    expect(Array.from(best?.excerpt.text ?? "").slice(from, to).join("")).toBe("loaf");
});

test("notes are related to a line, whatever is in the note's name", async () => {
    const results = await connection.ask((client) => client.related("Garden/Bees & wasps #1.md", 3, 5));
    expect(results.hits[0]?.path).toBe("Garden/Mites.md");
});

test("an answer quotes lines that are in the notes", async () => {
    const answer = await connection.ask((client) => client.answer("When do we treat the bees?"));
    expect(answer.answered).toBe(true);
    expect(answer.citations[0]).toMatchObject({ path: "Garden/Mites.md", line: 3, citation_verified: true });
});

test("background work can be paused and resumed, and the notes are counted", async () => {
    const paused = async () => (await connection.ask((client) => client.health())).paused;
    await connection.ask((client) => client.pause(true));
    expect(await paused()).toBe(true);
    await connection.ask((client) => client.pause(false));
    expect(await paused()).toBe(false);
    expect((await connection.ask((client) => client.health())).notes).toBe(4);
});

test("a problem has the words of the server", async () => {
    const asked = connection.ask((client) => client.related("No such note.md", 1, 5));
    await expect(asked).rejects.toThrow(/No indexed note is called .*\. Use a path/);
});

test("a running server is used only for the vault that it serves, and only on this computer", async () => {
    const other = makeVault({ "Else.md": "# Something else\n" });
    const sender = new Sender();
    const wrong = connect(other, { address }, "", sender);
    await expect(wrong.ask((client) => client.health())).rejects.toThrow(`serves ${folder}`);
    const right = connect(folder, { address: `${address}/` });
    expect((await right.ask((client) => client.health())).notes).toBe(4);
    // It was not started here, so it stays.
    right.end();
    expect((await connection.ask((client) => client.health())).notes).toBe(4);
    const away = connect(other, { address: "http://notes.example.org:8483" }, "", sender);
    await expect(away.ask((client) => client.health())).rejects.toThrow("is not on this computer");
    expect(sender.sent.map((request) => new URL(request.url).pathname)).toEqual(["/health"]);
    expect(sender.sent[0]?.headers).toEqual({ Accept: "application/json" });
    remove(other);
});

test("another vault's server at the same address is noticed when somebody asks anew", async () => {
    const other = makeVault({ "Else.md": "# Something else\n" });
    const second = connect(other, { starts: true });
    const elsewhere = await second.ask((client) => Promise.resolve(client.address));
    const { send } = new Sender();
    let at = address;
    const attached = connect(folder, { address }, "", {
        send: (request) => send({ ...request, url: request.url.replace(address, at) }),
    });
    expect((await attached.ask((client) => client.health())).notes).toBe(4);
    // As if the first had ended, and the second had been given its port.
    at = elsewhere;
    attached.recheck();
    await expect(attached.ask((client) => client.health())).rejects.toThrow(`serves ${other}`);
    second.end();
    remove(other);
});

test("a server that is gone says so, and one of our own comes back", async () => {
    const attached = connect(folder, { address });
    await attached.ask((client) => client.health());
    connection.reset();
    await expect
        .poll(() => attached.ask((client) => client.health()).then(String, (error: unknown) => error), { timeout: 60_000 })
        .toBeInstanceOf(Gone);
    expect((await connection.ask((client) => client.health())).notes).toBe(4);
    // As if it had crashed: the address of the old one no longer answers, and nobody had noticed.
    const before = await connection.ask((client) => Promise.resolve(client));
    (connection as unknown as { own: { end(): void } }).own.end();
    await expect.poll(() => before.health().then(String, (error: unknown) => error), { timeout: 60_000 }).toBeInstanceOf(Gone);
    expect((await connection.ask((client) => client.health())).notes).toBe(4);
});

test("a program that fails late does not end the server that was started after it", async () => {
    const program = join(folder, "slow");
    // It ends when it is told to, with an error, as a server that cannot open its vault.
    writeFileSync(program, "#!/bin/sh\nread line\nexit 1\n", { mode: 0o755 });
    const again = connect(folder, { starts: true, program });
    const { own } = again as unknown as { own: { child: ChildProcess | null } };
    const first = again.ask((client) => client.health()).catch(String);
    await vi.waitFor(() => expect(own.child).not.toBeNull());
    rmSync(program);
    symlinkSync(PROGRAM, program);
    again.reset();
    const second = again.ask((client) => client.health());
    await vi.waitFor(() => expect(own.child).not.toBeNull());
    const newer = own.child;
    expect(await first).toContain("stopped right after it started");
    expect(own.child).toBe(newer);
    expect((await second).notes).toBe(4);
    again.end();
});

test("with a token, a server for another vault answers beside the first, and only with the token", async () => {
    const token = newToken();
    const other = makeVault({ "Else.md": "# Else\n\nA telescope on the roof.\n" });
    const second = connect(other, { starts: true }, token);
    await indexed(second);
    const found = await second.ask((client) => client.search("telescope", { limit: 5, refresh: false }));
    expect(found.hits.map((hit) => hit.path)).toEqual(["Else.md"]);
    const where = await second.ask((client) => Promise.resolve(client.address));
    const stranger = new Client(new Sender().send, where);
    await expect(stranger.progress()).rejects.toThrow("A token is required");
    const tokenless = connect(other, { address: where });
    await expect(tokenless.ask((client) => client.health())).rejects.toThrow("requires its token");
    const mistaken = connect(other, { address: where }, "another");
    await expect(mistaken.ask((client) => client.health())).rejects.toThrow("is not that of the server. Choose the token in");
    const later = new Client(new Sender().send, where, "another");
    await expect(later.progress()).rejects.toThrow("The token is wrong. Choose the token in the settings");
    second.end();
    remove(other);
});

test("a phone says that it needs a computer, and a missing program what to install", async () => {
    Platform.isDesktop = false;
    await expect(connect(folder, {}).ask((client) => client.health())).rejects.toThrow("Notewell needs a computer");
    Platform.isDesktop = true;
    const missing = connect(folder, { starts: true, program: "/nowhere/notewell" });
    await expect(missing.ask((client) => client.health())).rejects.toThrow(/no program .*Install it/);
});

test("what went wrong at the start stays until somebody asks anew, who may have mended it", async () => {
    const program = join(folder, "notewell");
    // A folder of that name, such as a clone, is no program.
    mkdirSync(program);
    const mended = connect(folder, { starts: true, program });
    await expect(mended.ask((client) => client.health())).rejects.toThrow("There is no program");
    rmdirSync(program);
    symlinkSync(PROGRAM, program);
    await expect(mended.ask((client) => client.health())).rejects.toThrow("There is no program");
    mended.retry();
    expect((await mended.ask((client) => client.health())).notes).toBe(4);
    mended.end();
});

test("a program that is not Notewell is an error with its last words", async () => {
    const wrong = connect("/no/such/folder", { starts: true });
    await expect(wrong.ask((client) => client.health())).rejects.toThrow("There is no folder /no/such/folder");
});
