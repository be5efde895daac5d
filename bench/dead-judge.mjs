import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { program, withFolder } from './measure.mjs';

const json = { 'content-type': 'application/json' };
/** Judges that give no verdict, by the path of their server. */
const judges = {
  hangs: () => undefined,
  stops: (response) => response.writeHead(200, json).flushHeaders(),
  fails: (response) => response.writeHead(500, { ...json, 'retry-after': '0' }).end('{}'),
  closes: (response) => response.socket.destroy(),
};
const tool = "export const answer = () => ({ text: 'blue' });\n";
const cases = 200;

/** Time that judges cost which give no verdict, and the time from the summary of a run to the end of its process. */
export async function deadJudge() {
  const server = createServer((request, response) => judges[request.url.split('/')[1]](response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  try {
    const refused = await measured('refused', { baseUrl: 'http://127.0.0.1:1/v1' });
    const rows = [row(`${cases} cases, a provider that refuses connections`, refused)];
    for (const kind of Object.keys(judges)) {
      const found = await measured(kind, { baseUrl: `${url}/${kind}`, timeoutSecs: 1 });
      rows.push(row(`${cases} cases, a judge that ${kind}`, found));
    }
    return rows;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function row(what, { seconds, lingerMs }) {
  return {
    what,
    measured: `${seconds.toFixed(1)} s, ends ${lingerMs.toFixed(0)} ms after its summary`,
    target: 'ends within 1 s',
    isMet: lingerMs <= 1_000,
  };
}

function measured(name, provider) {
  const scenario = {
    name: 'Dead judge',
    call: { module: './tool.mjs', export: 'answer' },
    dataset: './rows.json',
    judge: { model: `${name}/m`, successCriteria: 'It is blue' },
  };
  const files = {
    's.json': JSON.stringify(scenario),
    'rows.json': JSON.stringify(Array.from({ length: cases }, (_, question) => ({ question }))),
    'tool.mjs': tool,
    'assay.config.yaml': JSON.stringify({ models: { providers: { [name]: { apiKey: 'any', ...provider } } } }),
  };
  return withFolder(files, async (cwd) => {
    const began = performance.now();
    const child = spawn(process.execPath, [program, 'run', 's.json', '--quiet', '--concurrency', '32'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = began;
    child.stdout.on('data', () => {
      printed = performance.now();
    });
    await once(child, 'exit');
    const ended = performance.now();
    return { seconds: (ended - began) / 1_000, lingerMs: ended - printed };
  });
}
