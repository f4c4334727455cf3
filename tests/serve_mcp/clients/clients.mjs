// The official clients of the Model Context Protocol against `harness mcp`, as tests/serve_mcp/clients_test.cpp starts
// them: node clients.mjs FOLDER-OF-PACKAGES HARNESS STORE. Each thing that holds prints a line "ok ...".
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';

const [packages, program, store] = process.argv.slice(2);
const require = createRequire(packages + '/');
const older = {
  Client: require('@modelcontextprotocol/sdk/client/index.js').Client,
  Transport: require('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport,
};
const newer = {
  Client: require('@modelcontextprotocol/client').Client,
  Transport: require('@modelcontextprotocol/client/stdio').StdioClientTransport,
};
const ok = (what) => console.log('ok ' + what);

const command = (session) => ['mcp', '--session', session, '--budget', '600s', '--device', 'cpu', '--db', store];

async function connected(kind, options, session = 'clients') {
  const client = new kind.Client({ name: 'tests', version: '1' }, options);
  const transport = new kind.Transport({ command: program, args: command(session), env: process.env, stderr: 'ignore' });
  await client.connect(transport);
  return { client, transport };
}

async function call(client, name, args, options) {
  const second = client.callTool.length > 2 || client.constructor === older.Client;
  const answer = second ? await client.callTool({ name, arguments: args }, undefined, options)
                        : await client.callTool({ name, arguments: args }, options);
  const object = answer.structuredContent;
  assert.deepEqual(JSON.parse(answer.content[0].text), object, name + ': the text mirrors the object');
  assert.ok(answer.content[0].text.length <= 8000, name + ': at most 8 kB');
  assert.equal(Object.keys(JSON.parse(answer.content[0].text))[0], 'ok', name + ': ok comes first');
  assert.equal(object.ok, !answer.isError, name + ': errors say so in both forms');
  assert.equal(typeof object.next, 'string', name + ': it says what to do next');
  if (object.ok) assert.equal(object.budget.session !== undefined, true, name + ': what is left');
  return object;
}

const kernel = 'vector_scale', workload = 'odd_n1003_f32';
let first = 0;  // the iteration of the first evaluation

async function everyTool(client, era) {
  const tools = (await client.listTools()).tools;
  const again = (await client.listTools()).tools;
  assert.deepEqual(tools.map((t) => t.name), again.map((t) => t.name));
  const tried = new Set();
  const use = async (name, args = {}, options) => {
    tried.add(name);
    let answer = await call(client, name, args, options);
    // On a busy machine a job goes on when its call has ended: whoever was ready to wait waits for its end.
    while (args.wait_s && ['waiting', 'running'].includes(answer.state))
      answer = await call(client, 'job', { job: answer.job, wait_s: 45 });
    return answer;
  };
  assert.ok((await use('kernels')).kernels.some((k) => k.kernel === kernel));
  assert.match((await use('describe', { kernel })).reference, /reference/);
  const baseline = await use('read_variant', { kernel, variant: '00_naive' });
  assert.match(baseline.source, /__global__/);
  assert.match((await use('read_variant', { kernel, variant: '00_naive', part: 'manifest' })).manifest, /variant/);

  const own = await use('evaluate', { kernel, workload, variant: '00_naive', label: 'as it is', wait_s: 45 });
  assert.equal(own.passed, true, JSON.stringify(own));
  first = own.iteration;
  const wrong = await use('evaluate', {
    kernel, workload, variant: '00_naive', wait_s: 45, label: 'one too much',
    edits: [{ search: 'a * harness::to_float(x[i])', replace: 'a * harness::to_float(x[i]) + 1.0f' }],
  });
  assert.equal(wrong.outcome, 'wrong_answer');
  assert.doesNotMatch(JSON.stringify(wrong), /seed|tolerance/);
  const twin = await use('evaluate', {
    kernel, workload, variant: '00_naive', wait_s: 45, source: baseline.source.split('\n// ---- ')[0] + '\n// only a comment\n',
  });
  assert.equal(twin.outcome, 'no_effect', JSON.stringify(twin));
  // Two elements a thread: the source is edited, and the manifest launches half as many blocks.
  const twice = {
    kernel, workload, variant: '00_naive', wait_s: 45, label: 'two a thread',
    edits: [{ search: 'const int i = blockIdx.x * blockDim.x + threadIdx.x;',
              replace: 'int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);' },
            { search: 'if (i < n)', replace: 'for (int end = i + 2; i < n && i < end; ++i)' }],
    manifest: {
      params: { BLOCK: { values: [64, 128], bind: 'launch' } },
      steps: 'function(p, w, device) return { launch { entry = "scale<$dtype>", grid = { cdiv(w.N, 2 * p.BLOCK) }, ' +
             'block = { p.BLOCK }, shared = 0, args = { "x", "y", "a", i32(w.N) } } } end',
    },
  };
  const made = await use('evaluate', twice);
  assert.equal(made.passed, true, JSON.stringify(made));
  assert.match(made.variant, /^proposed_\d+$/);
  assert.equal((await use('evaluate', twice)).recorded, true);
  assert.match((await use('read_variant', { kernel, variant: made.variant, part: 'manifest' })).manifest, /2 \* p\.BLOCK/);
  const other = await use('evaluate', { kernel, workload, variant: made.variant, parameters: { BLOCK: 128 }, wait_s: 45 });
  assert.equal(other.config.BLOCK, 128, JSON.stringify(other));
  assert.equal((await use('campaign_start', { kernel, variants: [made.variant] })).ok, false, 'it stands in no file');
  for (const manifest of [{ technique: 'mine' }, { steps: 'no function' }, { steps: 'function(p, w, device) return {} end' },
                          { valid: 'function(p, w, device) return false end' }])
    assert.equal((await use('evaluate', { ...twice, manifest })).ok, false, JSON.stringify(manifest));
  const broken = await use('evaluate', { kernel, workload, wait_s: 45, source: 'template <class T> __global__ void scale(' });
  assert.equal(broken.passed === true, false);
  const misfit = await use('evaluate', { kernel, edits: [{ search: 'nowhere', replace: '' }] });
  assert.equal(misfit.ok, false);

  const background = await use('evaluate', { kernel, workload, variant: '10_vector', wait_s: 0 });
  let job = background.job ? await use('job', { job: background.job, wait_s: 45 }) : background;
  assert.equal(job.passed, true, JSON.stringify(job));
  tried.add('job');
  assert.ok((await use('compare', { a: first, b: job.iteration })).differs);
  assert.ok((await use('profile', { iteration: first, wait_s: 45 })).profile);
  const predicted = await use('predict', { kernel, workload, variant: '10_vector', wait_s: 45 });
  assert.ok(predicted.predicted[0].predicted_ns > 0 && predicted.digest.includes('It is made of:'), JSON.stringify(predicted));
  const searched = await use('evaluate', { kernel, workload, variant: '10_vector', parameter_sets: [{ BLOCK: 256 }, { BLOCK: 7 }], wait_s: 45 });
  assert.equal(searched.evaluated.length, 2, JSON.stringify(searched));
  assert.ok(searched.passed && searched.digest.includes('It is made of:') && searched.evaluated[1].error.includes('BLOCK'), JSON.stringify(searched));
  const compiled = await use('compile', { kernel, workload, variant: '10_vector', wait_s: 45 });
  assert.ok(compiled.ok ? compiled.compiled[0].compiles : compiled.error.message.includes('compiles for'), JSON.stringify(compiled));
  assert.equal((await use('best', { kernel })).best.length > 0, true);
  assert.ok((await use('history', { kernel, session: true })).iterations.length > 0);
  const counted = await use('query', { sql: 'SELECT count(*) AS n FROM agent_iterations' });
  assert.ok(counted.rows[0][0] > 0);
  for (const sql of ['SELECT seeds FROM iteration', 'SELECT detail FROM gate_result', 'SELECT * FROM admission',
                     'WITH agent_iterations AS (SELECT * FROM iteration) SELECT seeds FROM agent_iterations',
                     'SELECT request FROM agent_job', 'DELETE FROM iteration', 'PRAGMA table_info(iteration)',
                     'SELECT sql FROM sqlite_schema', 'SELECT name FROM sqlite_temp_schema'])
    assert.equal((await use('query', { sql })).ok, false, sql);
  assert.ok(wrong.fingerprint, 'the mistake has a fingerprint');
  assert.match(wrong.technique, /^naive~\d+$/, 'a source of its own has a technique of its own');
  const alike = await use('similar_attempts', { kernel, fingerprint: wrong.fingerprint });
  assert.equal(alike.attempts[0].outcome, 'wrong_answer');
  assert.ok((await use('playbook')).patterns.length > 0);
  assert.ok((await use('playbook', { id: '1' })).page.length > 0);
  assert.equal((await use('floor', { kernel })).ok, true);
  assert.equal((await use('note', { kernel, text: 'adding one is wrong', iteration: wrong.iteration })).ok, true);
  assert.ok((await use('budget')).spent_s !== undefined || true);
  assert.equal((await use('adopt', { iteration: wrong.iteration })).ok, false, 'what failed is not adopted');
  const campaign = await use('campaign_start', { kernel, budget_s: 5, variants: ['10_vector'] });
  assert.equal((await use('job', { job: campaign.job })).ok, true);
  assert.equal((await use('cancel', { job: campaign.job })).ok, true);
  assert.deepEqual(tools.map((t) => t.name).filter((n) => !tried.has(n)), [], 'every tool was called');
  for (const tool of tools) assert.equal(typeof tool.annotations.readOnlyHint, 'boolean');
  ok(`every tool, ${era}`);

  const uris = (await client.listResources()).resources.map((r) => r.uri);
  assert.ok(uris.includes('harness://schema'));
  for (const uri of ['harness://schema', 'harness://contract/' + kernel, `harness://iteration/${first}`,
                     `harness://iteration/${first}/source`, `harness://source/${kernel}/10_vector`,
                     `harness://report/${own.campaign ?? 1}`])
    assert.ok((await client.readResource({ uri })).contents[0].text.length > 0, uri);
  await assert.rejects(client.readResource({ uri: 'harness://nothing/here' }));
  assert.equal((await client.listPrompts()).prompts.length, 2);
  const prompt = await client.getPrompt({ name: 'optimize_kernel', arguments: { kernel } });
  assert.match(prompt.messages[0].content.text, /vector_scale/);
  ok(`resources and prompts, ${era}`);
}

/// What nobody asked before, and what is quickly told: it does not compile.
const fresh = (n) => ({
  kernel, workload, variant: '00_naive', wait_s: 45, label: 'fresh ' + n,
  edits: [{ search: 'a * harness::to_float(x[i])', replace: `nothing_${n}(x[i])` }],
});

async function progress(client, era, n) {
  const seen = [];
  await call(client, 'evaluate', fresh(n), { onprogress: (p) => seen.push(p), timeout: 60000 });
  assert.ok(seen.length > 0, 'progress before the answer');
  ok(`progress, ${era}`);
}

async function cancelling(client, era, n) {
  const abort = new AbortController();
  const running = call(client, 'evaluate', fresh(n), { signal: abort.signal });
  setTimeout(() => abort.abort(), 150);
  await assert.rejects(running);
  let newest;
  for (let i = 0; i < 200; ++i) {
    newest = (await call(client, 'budget', {})).jobs[0];
    if (newest.state === 'interrupted') break;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(newest.state, 'interrupted');
  ok(`cancel, ${era}`);
}

/// Lines as they are, both ways.
function raw() {
  const child = spawn(program, command('clients'), { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = [];
  let text = '';
  child.stdout.on('data', (bytes) => {
    text += bytes;
    for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) waiting.shift()?.(JSON.parse(text.slice(0, end)));
  });
  const ask = (line) => new Promise((done) => { waiting.push(done); child.stdin.write(line + '\n'); });
  return { child, ask };
}

async function malformed() {
  const begun = performance.now();
  const { child, ask } = raw();
  const answer = await ask('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}');
  assert.equal(answer.result.protocolVersion, '2025-06-18');
  console.log(`first answer after ${(performance.now() - begun).toFixed(0)} ms, with the start of the process`);
  const code = async (line) => (await ask(line)).error.code;
  assert.equal(await code('no json'), -32700);
  assert.equal(await code('[]'), -32600);
  assert.equal(await code('{"jsonrpc":"2.0","id":2}'), -32600);
  assert.equal(await code('{"jsonrpc":"1.0","id":2,"method":"ping"}'), -32600);
  assert.equal(await code('{"jsonrpc":"2.0","id":2,"method":"nothing"}'), -32601);
  assert.equal(await code('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nothing"}}'), -32602);
  assert.equal(await code('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":[]}'), -32602);
  const future = await ask('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}');
  assert.equal(future.error.code, -32022);
  assert.deepEqual(future.error.data.supported, ['2026-07-28']);
  const unknown = await ask('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"best","arguments":{"kernl":"softmax"}}}');
  assert.match(unknown.result.structuredContent.error.message, /kernel/);
  assert.deepEqual((await ask('{"jsonrpc":"2.0","id":5,"method":"ping"}')).result, {});
  const over = new Promise((done) => child.on('exit', done));
  child.stdin.end();
  assert.equal(await over, 0);
  ok('malformed requests, and exit at the end of input');
}

async function deathInTheMiddle() {
  const { child, ask } = raw();
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evaluate","arguments":' +
                    JSON.stringify(fresh(7)) + '}}\n');
  const left = await connected(newer, { versionNegotiation: { mode: 'auto' } });
  let job;
  for (let i = 0; i < 200 && !job; ++i) {
    job = (await call(left.client, 'budget', {})).jobs.find((j) => j.label === 'fresh 7');
    await new Promise((done) => setTimeout(done, 20));
  }
  child.kill('SIGKILL');
  const found = await call(left.client, 'job', { job: job.job, wait_s: 45 });
  assert.equal(found.outcome, 'compile_error', JSON.stringify(found));
  const known = await call(left.client, 'evaluate', fresh(7));
  assert.equal(known.recorded, true);
  assert.equal(known.job, job.job);
  await left.client.close();
  ok('a client that dies in the middle leaves its job, and another gets the verdict');
}

async function twoAtOnce() {
  const one = await connected(older, {}, 'two'), two = await connected(newer, { versionNegotiation: { mode: 'auto' } }, 'two');
  const [a, b] = await Promise.all([call(one.client, 'evaluate', fresh(8)), call(two.client, 'evaluate', fresh(9))]);
  assert.equal(a.outcome, 'compile_error', JSON.stringify(a));
  assert.equal(b.outcome, 'compile_error');
  const left = (await call(one.client, 'budget', {})).budget.left_s, other = (await call(two.client, 'budget', {})).budget.left_s;
  assert.ok(left < 600 && Math.abs(left - other) < 1, 'one budget for both');
  await one.client.close();
  await two.client.close();
  ok('two clients at once draw on one budget');
}

const modes = [['2025 by the older client', older, {}],
               ['2025 by the newer client', newer, { versionNegotiation: { mode: 'legacy' } }],
               ['2026', newer, { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
               ['the era that the client finds', newer, { versionNegotiation: { mode: 'auto' } }]];
await malformed();
for (const [n, [era, kind, options]] of modes.entries()) {
  const { client } = await connected(kind, options);
  if (n === 0 || n === 2) {
    await everyTool(client, era);
    await progress(client, era, 10 + n);
    await cancelling(client, era, 20 + n);
  } else {
    assert.ok((await client.listTools()).tools.length > 15);
    assert.equal((await call(client, 'budget', {})).ok, true);
    ok(`a session, ${era}`);
  }
  await client.close();
}
await twoAtOnce();
await deathInTheMiddle();
console.log('all is well');
