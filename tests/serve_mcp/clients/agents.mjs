// Real coding agents as clients and as proposers, led by a scripted model on loopback:
//   node agents.mjs claude|codex HARNESS STORE
// The model answers with the next call of the script for each result that it is shown, and a request without tools of
// harness with a proposer's reply. Claude Code speaks Anthropic's messages to it, Codex OpenAI's responses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

const [agent, program, store] = process.argv.slice(2);
const folder = dirname(store);
const ok = (what) => console.log('ok ' + what);
const at = { kernel: 'vector_scale', workload: 'odd_n1003_f32', wait_s: 45 };
const script = [
  { tool: 'kernels', arguments: {} },
  { tool: 'read_variant', arguments: { kernel: at.kernel, variant: '00_naive' } },
  { tool: 'evaluate', arguments: { ...at, variant: '00_naive', label: 'one too much',
      edits: [{ search: 'a * harness::to_float(x[i])', replace: 'a * harness::to_float(x[i]) + 1.0f' }] } },
  { tool: 'evaluate', arguments: { ...at, variant: '10_vector' } },
  { tool: 'best', arguments: { kernel: at.kernel } },
];
const reply = JSON.stringify({ hypothesis: 'none', label: 'scripted', edits: [{ search: 'if (i < n)', replace: 'if (i < n)' }] });
const results = [];  // what the agent showed the model of each call

const events = (response, list) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const each of list) response.write(`event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
  response.end();
};

function messages(body, response) {
  const shown = (body.messages ?? []).flatMap((m) => Array.isArray(m.content) ? m.content : []).filter((c) => c.type === 'tool_result');
  const has = (body.tools ?? []).some((t) => t.name === 'mcp__harness__evaluate');
  if (has) results.splice(0, results.length, ...shown.map((r) => JSON.stringify(r.content)));
  const step = has ? script[shown.length] : undefined;
  const text = has ? 'done' : reply;
  const message = { id: 'msg', type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null,
                    stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } };
  const call = step && { type: 'tool_use', id: 'toolu_' + shown.length, name: 'mcp__harness__' + step.tool, input: {} };
  events(response, [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: call ?? { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0,
      delta: step ? { type: 'input_json_delta', partial_json: JSON.stringify(step.arguments) } : { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: step ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]);
}

function responses(body, response) {
  const shown = (body.input ?? []).filter((i) => i.type === 'function_call_output');
  const has = (body.tools ?? []).some((t) => t.name === 'mcp__harness');
  if (has) results.splice(0, results.length, ...shown.map((r) => JSON.stringify(r.output)));
  const step = has ? script[shown.length] : undefined;
  const item = step
    ? { type: 'function_call', id: 'fc_' + shown.length, call_id: 'call_' + shown.length, namespace: 'mcp__harness', name: step.tool,
        arguments: JSON.stringify(step.arguments) }
    : { type: 'message', id: 'msg', role: 'assistant', content: [{ type: 'output_text', text: has ? 'done' : reply }] };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 0 },
                  output_tokens_details: { reasoning_tokens: 0 } };
  events(response, [
    { type: 'response.created', response: { id: 'resp' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp', output: [item], usage } },
  ]);
}

const model = createServer((request, response) => {
  let text = '';
  request.on('data', (bytes) => { text += bytes; });
  request.on('end', () => {
    const body = text ? JSON.parse(text) : {};
    if (request.url.startsWith('/v1/messages/count_tokens')) response.end('{"input_tokens": 10}');
    else if (request.url.startsWith('/v1/messages')) messages(body, response);
    else if (request.url.startsWith('/v1/responses')) responses(body, response);
    else response.writeHead(404).end('{}');
  });
});
await new Promise((done) => model.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${model.address().port}`;
const home = join(folder, 'home');
mkdirSync(home, { recursive: true });
const environment = { ...process.env, HOME: home, CODEX_HOME: home, SCRIPTED_KEY: 'scripted', ANTHROPIC_BASE_URL: url,
                      ANTHROPIC_API_KEY: 'scripted', ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

const run = (command, args) => new Promise((done) => {
  const child = spawn(command, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '';
  child.stdout.on('data', (bytes) => { out += bytes; });
  child.stderr.on('data', (bytes) => { err += bytes; });
  child.on('close', (status) => done({ status, out, err }));
});

const server = ['mcp', '--session', agent, '--budget', '600s', '--device', 'cpu', '--db', store];
const provider = ['-m', 'scripted', '-c', 'model_provider=stub', '-c',
                  `model_providers.stub={name="stub",base_url="${url}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`];
const tools = ['kernels', 'read_variant', 'evaluate', 'best'].map((t) => 'mcp__harness__' + t).join(',');
const prompt = 'Make vector_scale faster.';
writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { harness: { command: program, args: server } } }));
const lead = {
  claude: () => run('claude', ['-p', prompt, '--mcp-config', 'mcp.json', '--strict-mcp-config', '--allowedTools', tools]),
  codex: () => run('codex', ['exec', '--skip-git-repo-check', ...provider, '-c',
                             `mcp_servers.harness={command="${program}",args=${JSON.stringify(server)},required=true,tool_timeout_sec=60}`,
                             prompt]),
};
const ended = await lead[agent]();
assert.equal(ended.status, 0, ended.out + ended.err);
assert.equal(results.length, script.length, ended.out + ended.err);
assert.match(results[1], /__global__/);
assert.match(results[2], /wrong_answer/);
assert.match(results[3], /passed\\+":true/);
assert.match(results[4], /best/);
ok(`${agent} evaluates through harness mcp`);

const more = agent === 'codex' ? ' ' + provider.map((word) => `'${word}'`).join(' ') : '';
const asked = await run(program, ['proposer', '--check', `command:propose-agent ${agent}${more}`, '--proposer-env',
                                  'ANTHROPIC_API_KEY,ANTHROPIC_BASE_URL,SCRIPTED_KEY,CODEX_HOME']);
assert.equal(asked.status, 0, asked.out + asked.err);
assert.match(asked.out, /answers as it was asked/);
ok(`${agent} answers as a proposer`);
model.close();
console.log('all is well');
