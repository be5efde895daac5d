import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { routes } from '../../src/entry/server/routes/index.ts';
import { reporters } from '../../src/report/reporters/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { encodings, isReadable } from '../../src/testing/support/encodings.ts';
import { serve } from '../../src/testing/support/http-server.ts';
import { criteriaReply, secretKey } from '../../src/testing/support/judged-project.ts';
import { serving } from '../../src/testing/support/serving.ts';

/** It can be part of a file name. */
const secret = 'Kd83hf+Qz71&mLw0_xV=bT';
const writings = Object.entries(encodings).map(([name, write]) => `${name}: ${write(secret)} end\n`);
const text = writings.join('');
const fileNames = Object.values(encodings)
  .map((write) => `of ${write(secret)} x`)
  .filter((name) => name.length < 200 && !/[/\n\r\0]/.test(name));

/** Files of the user that are given the secret; all others are written by Assay. */
const given = {
  'scenario.yaml': toolScenario(
    '[{ type: file_exists, path: writings.txt }]',
    '  judge: { enabled: true, rubric: r.yaml }\n',
  ),
  'r.yaml': 'title: Items\npass_threshold: 0.7\ncriteria:\n  - { id: helpful, description: It helps, weight: 1 }\n',
  'call.yaml': `name: Call
call: { module: ./tool.mjs, export: leak }
cases: [{ name: told, input: { fails: false } }, { name: thrown, input: { fails: true } }]
judge: { successCriteria: The answer names Paris }
`,
  'tool.mjs': `import { readFileSync } from 'node:fs';
const text = readFileSync('template/writings.txt', 'latin1');
export function leak({ fails }) {
  console.log(text);
  if (fails) throw new Error(text);
  return { text, [text]: text };
}
`,
  'script.yaml': `steps:
  - my-tool create
  - while IFS= read -r name; do mkdir "in $name"; cp writings.txt "in $name/$name.txt"; done < names.txt
  - cat writings.txt >&2; exit 3
  - say: ${JSON.stringify(text)}
`,
  'template/writings.txt': Buffer.from(text, 'latin1'),
  'template/names.txt': `${fileNames.join('\n')}\n`,
  'bin/my-tool': '#!/bin/sh\ncat writings.txt; cat writings.txt >&2; exit 3\n',
};

/** Ways out on which the texts are seen, without the secret. */
const carriers = [
  /^assay run .*--json/,
  /^assay run .*--record/,
  /^assay show t-/,
  /^prompts/,
  /OTLP/,
  /^tapes/,
  /assay\.db$/,
  /^\.assay\/.*(transcript|events)/,
  /artifacts\/fixture\/.*\.txt$/,
  /^reports\/html/,
  /^reports\/json/,
  /^reports\/junit/,
  /^reports\/csv/,
  /^reports\/atif/,
  /^reports\/otlp/,
  /^get \/api\/trials\/[^/]*\/trace/,
  /^get \/api\/trials\/[^/]*$/,
  /^get \/api\/runs\/.*report\/html/,
];

/** What came out, by the way it took. */
type Channels = Map<string, string>;

it('a known secret that tools, agents and judges write in every way is read in nothing that comes out', async () => {
  expect(writings.filter((writing) => !isReadable(writing, secret))).toEqual([]);
  const reply = criteriaReply('met', text);
  await using model = await startScriptedModel({ rules: [{ reply: { json: { ...reply, reasoning: text } } }] });
  const config = `agent: scripted\nagents: { scripted: { script: script.yaml } }\njudge: { model: openai/gpt-4o-mini }\n`;
  const cwd = await toolProject({
    scenario: given['scenario.yaml'],
    script: given['script.yaml'],
    files: { ...given, 'assay.config.yaml': config },
  });
  const env = { ...toolEnvironment(cwd), OPENAI_API_KEY: secretKey, DEPLOY_TOKEN: secret, ...model.environment };
  const found: Channels = new Map();
  const command = async (args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await assay(args, { cwd, env });
    found.set(`assay ${args.join(' ')}`, stdout + stderr);
    return stdout;
  };

  const run = await command(['run', 'scenario.yaml', 'call.yaml', '--json', '--debug', '--reuse']);
  const { runId, trials } = JSON.parse(run) as { runId: string; trials: { trialId: string }[] };
  expect(trials).toHaveLength(3);
  await command(['run', 'scenario.yaml', 'call.yaml', '--debug', '--record', 'tapes']);
  for (const { name } of reporters) await command(['report', runId, '--format', name, '--output', `reports/${name}`]);
  for (const args of [
    ['show', 'latest'],
    ['compare'],
    ['compare', '--json'],
    ['show', runId, '--clusters'],
    ['runs', '--json'],
  ])
    await command(args);
  const trialIds = trials.map(({ trialId }) => trialId);
  for (const trialId of trialIds) {
    await command(['show', trialId]);
    await command(['show', trialId, '--json']);
    await command(['promote', trialId]);
  }
  const sent: Buffer[] = [];
  const receiver = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    sent.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    response.writeHead(200).end();
  });
  await command(['export', runId, '--otlp', receiver]);
  found.set('sent to a receiver of OTLP', Buffer.concat(sent).toString('latin1'));
  found.set('prompts', JSON.stringify(model.log().map(({ conversation }) => conversation)));
  await readPages({ cwd, env, runId, trialIds, found });
  await readFiles(cwd, found);
  const readable = [...found].filter(([channel, content]) => isReadable(channel + content, secret));
  expect(readable.map(([channel, content]) => `${channel}: ${readableLine(content)}`)).toEqual([]);
  const isCarried = (channel: RegExp) =>
    [...found].some(([name, content]) => channel.test(name) && content.includes('[redacted]'));
  expect(carriers.filter((channel) => !isCarried(channel))).toEqual([]);
}, 600_000);

interface Served {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly trialIds: readonly string[];
  readonly found: Channels;
}

/** Asks every route that can be read about the run and its trials. */
async function readPages({ cwd, env, runId, trialIds, found }: Served): Promise<void> {
  const { request, child } = await serving(cwd, env);
  for (const { method, path } of routes.filter((route) => route.method === 'get')) {
    for (const url of pathsOf(path, { runId, trialIds })) {
      const response = await request(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      const body = await response?.arrayBuffer().catch(() => undefined);
      if (body) found.set(`${method} ${url}`, `${response?.status} ${Buffer.from(body).toString('latin1')}`);
    }
  }
  for (const trialId of trialIds) {
    const { artifacts } = (await (await request(`/api/trials/${trialId}`)).json()) as { artifacts: { path: string }[] };
    for (const { path } of artifacts) {
      const url = `/api/trials/${trialId}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`;
      found.set(url, Buffer.from(await (await request(url)).arrayBuffer()).toString('latin1'));
    }
  }
  child.kill('SIGTERM');
}

/** The path with ids of the run in it; none where it is about something else. */
function pathsOf(path: string, { runId, trialIds }: Pick<Served, 'runId' | 'trialIds'>): string[] {
  const filled = path.replace('{runId}', runId).replace('{index}', '2').replace('/{path*}', '');
  const formats = filled.includes('{format}')
    ? reporters.map(({ name }) => filled.replace('{format}', name))
    : [filled];
  const paths = formats.flatMap((each) =>
    each.includes('{trialId}') ? trialIds.map((trialId) => each.replace('{trialId}', trialId)) : [each],
  );
  return paths.filter((each) => !each.includes('{') && !each.startsWith('/api/files'));
}

/** Everything below the project that the user has not put there, with what is packed in it. */
async function readFiles(cwd: string, found: Channels): Promise<void> {
  for (const file of await filesIn(cwd)) {
    const path = relative(cwd, file);
    // The work directory of an agent is kept as it was left, and a promoted case has the template as it is.
    if (Object.keys(given).includes(path) || path.includes('/fixture/') || path.startsWith('fixtures/')) continue;
    const bytes = await readFile(file);
    found.set(path, bytes.toString('latin1') + unpacked(file, bytes));
  }
}

function unpacked(file: string, bytes: Buffer): string {
  if (file.endsWith('.db')) return rowsOf(file);
  if (!file.endsWith('.html')) return '';
  const packed = bytes.toString('latin1').match(/H4sI[A-Za-z0-9+/=]+/g) ?? [];
  return packed.map((each) => gunzipSync(Buffer.from(each, 'base64')).toString('latin1')).join('\n');
}

/** All rows of a database; what is packed is unpacked. */
function rowsOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
    const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name}"`).all() as object[]);
    return rows.flatMap((row) => Object.values(row).map(textOf)).join('\n');
  } finally {
    database.close();
  }
}

function textOf(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return brotliDecompressSync(value).toString('latin1');
  } catch {
    return Buffer.from(value).toString('latin1');
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The line that is read, for who looks at a failure. */
function readableLine(content: string): string {
  const line = content.split('\n').find((each) => isReadable(each, secret)) ?? content;
  return line.slice(0, 300);
}
