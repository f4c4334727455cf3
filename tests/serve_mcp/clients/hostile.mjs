// An agent that has a shell beside its tools: node hostile.mjs FOLDER-OF-PACKAGES HARNESS STORE. It edits the reference,
// the store and its configuration, preloads a library and copies a neighbour's source.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, program, store] = process.argv.slice(2);
const ok = (what) => console.log('ok ' + what);
const project = join(dirname(store), 'project');
execFileSync(program, ['init', project, '--kernel', 'first'], { stdio: 'ignore' });
const folder = join(project, 'kernels', 'first');

function server(session, more = [], environment = {}) {
  const child = spawn(program, ['mcp', '--session', session, '--device', 'cpu', '--db', store, ...more],
                      { cwd: project, stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...environment } });
  const waiting = new Map();
  let text = '', id = 0;
  child.stdout.on('data', (bytes) => {
    text += bytes;
    for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) {
      const message = JSON.parse(text.slice(0, end));
      waiting.get(message.id)?.(message);
    }
  });
  const call = (name, args = {}) => new Promise((done, failed) => {
    waiting.set(++id, (message) => message.error ? failed(new Error(message.error.message)) : done(message.result.structuredContent));
    child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }) + '\n');
  });
  return { child, call, end: () => child.stdin.end() };
}
const verified = () => spawnSync(program, ['doctor', '--verify', '--db', store], { cwd: project, encoding: 'utf8' });

// A neighbour's source under another name is the neighbour's machine code.
const mine = server('one', ['--budget', '300s']);
const variant = '00_naive';
const read = await mine.call('read_variant', { kernel: 'first', variant });
const first = await mine.call('evaluate', { kernel: 'first', variant, wait_s: 45 });
assert.equal(first.passed, true, JSON.stringify(first));
const copied = await mine.call('evaluate', { kernel: 'first', variant, wait_s: 45, label: 'all mine', source: '// mine\n' + read.source });
assert.equal(copied.outcome, 'no_effect', JSON.stringify(copied));
assert.ok(copied.same_as > 0 && copied.twin);
ok('a copied source is named with its twin');

// What passed becomes files of a new variant, once.
const right = await mine.call('evaluate', {
  kernel: 'first', variant, wait_s: 45, label: 'twice by adding',
  edits: [{ search: '(T)(2.0f * (float)x[i])', replace: '(T)((float)x[i] + (float)x[i] + 0.0f * (float)i)' }],
});
assert.equal(right.passed, true, JSON.stringify(right));
assert.ok(right.predicted_baseline_ns > 0);
const adopted = await mine.call('adopt', { iteration: right.iteration });
assert.match(adopted.variant, /twice_by_adding/);
assert.match(readFileSync(adopted.files[1], 'utf8'), /0\.0f/);
ok('what passed is adopted');

// A client's configuration can lower the budget and never raise it.
const lowered = server('one', ['--budget', '200s']);
assert.equal((await lowered.call('budget')).budget_s, 200);
const raised = server('one', ['--budget', '9000s']);
assert.equal((await raised.call('budget')).budget_s, 200);
lowered.end();
raised.end();
ok('a command line lowers the budget and does not raise it');

// An easier reference is not the judge of this session.
const reference = join(folder, 'reference.cu');
const honest = readFileSync(reference, 'utf8');
writeFileSync(reference, honest + '\n// easier now\n');
const refused = await mine.call('evaluate', { kernel: 'first', variant, wait_s: 45, source: read.source + '\n__device__ int other;\n' });
assert.equal(refused.ok, false, JSON.stringify(refused));
assert.match(refused.error.message, /changed since the session 'one' began/);
writeFileSync(reference, honest);
ok('an edited reference ends the session\'s evaluations');

// What would be loaded into the judge is refused.
const preloaded = spawnSync(program, ['mcp', '--db', store], { cwd: project, encoding: 'utf8', env: { ...process.env, LD_PRELOAD: '/nonexistent.so' }, input: '' });
assert.equal(preloaded.status, 2);
assert.match(preloaded.stderr, /LD_PRELOAD is set/);
ok('LD_PRELOAD is refused');

// Behind a socket: whom the kernel names, and nobody else.
const socket = join(dirname(store), 'agent.sock');
const listening = spawn(program, ['mcp', '--session', 'one', '--device', 'cpu', '--db', store, '--listen', socket],
                        { cwd: project, stdio: 'ignore' });
for (let i = 0; i < 200 && !existsSync(socket); ++i) await new Promise((done) => setTimeout(done, 20));
const question = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"budget"}}\n';
const asked = (words) => new Promise((done) => {
  const child = spawn(words[0], words.slice(1), { stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (bytes) => { text += bytes; child.stdin.end(); });
  child.stderr.on('data', (bytes) => { text += bytes; });
  child.on('close', () => done(text));
  child.stdin.on('error', () => {});
  child.stdin.write(question);
});
const through = [program, 'mcp', '--connect', socket];
assert.match(await asked(through), /"budget_s":200/);
if (process.getuid() === 0 && spawnSync('setpriv', ['--version']).status === 0) {
  chmodSync(dirname(store), 0o755);
  chmodSync(socket, 0o666);
  assert.match(await asked(['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...through]),
               /^harness: the server at .* ended the connection without an answer; may user 65534 connect/);
}
const over = new Promise((done) => listening.on('exit', done));
listening.kill('SIGTERM');
await over;
assert.equal(existsSync(socket), false);
ok('a socket serves its own user, and turns others away');

// Rows of the store are a chain.
mine.end();
const before = verified();
assert.equal(before.status, 0, before.stdout);
const python = spawnSync('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.execute("UPDATE iteration SET time_ns = time_ns / 2 WHERE time_ns IS NOT NULL")\nd.commit()', store]);
if (python.status === 0) {
  const after = verified();
  assert.equal(after.status, 1, after.stdout);
  assert.match(after.stdout, /link in the chain does not agree/);
  ok('an edited row breaks the chain');
}
console.log('all is well');
