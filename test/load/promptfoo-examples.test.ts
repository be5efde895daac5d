import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

interface Example {
  readonly config: string;
  readonly files?: Readonly<Record<string, string>>;
}

function examplesIn<Kind>(name: string): [string, Example & Kind][] {
  const path = new URL(`../fixtures/promptfoo-examples/${name}.yaml`, import.meta.url);
  return Object.entries(parse(readFileSync(path, 'utf8')));
}

const accepted = examplesIn<{ readonly outcomes: string }>('runs');
const refused = examplesIn<{ readonly says: string }>('refused');

const verdict = (kind: string, answer: string, quote: string) => ({
  criteria: [{ id: `${kind}-1`, reasoning: 'r', evidence: [{ event: 'e2', quote }], answer }],
  confidence: 0.9,
});

const rules: ScriptSource['rules'] = [
  {
    when: { path: 'embeddings' },
    reply: {
      json: [
        [1, 0],
        [1, 0.1],
      ],
    },
  },
  { when: { model: 'gpt-4o-mini', system: 'Berlin' }, reply: { json: verdict('failure', 'met', 'Madrid is') } },
  { when: { model: 'gpt-4o-mini', system: 'contradicts' }, reply: { json: verdict('failure', 'not-met', 'Paris is') } },
  { when: { model: 'gpt-4o-mini' }, reply: { json: verdict('success', 'met', 'Paris is') } },
  { when: { system: 'pirate' }, reply: 'Arr, Paris!' },
  { when: { last: 'capital of France' }, reply: 'Paris is the capital of France.' },
  { when: { last: 'capital of Spain' }, reply: 'Madrid is the capital.' },
  { when: { last: 'plain JSON' }, reply: '{"name":"Ada","age":36}' },
  { reply: 'I do not know.' },
];

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel({ rules });
});
afterAll(() => model[Symbol.asyncDispose]());

const keys = {
  ...{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k', GOOGLE_VERTEX_ACCESS_TOKEN: 'k' },
  ...{ AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'us-east-1', GOOGLE_CLOUD_PROJECT: 'p' },
  ...{ MISTRAL_API_KEY: 'k', GROQ_API_KEY: 'k', OPENROUTER_API_KEY: 'k', DEEPSEEK_API_KEY: 'k' },
};

/** Shouts. */
const service = () =>
  serve(async (request, response) => {
    const { text } = JSON.parse(await bodyOf(request)) as { text: string };
    response.setHeader('content-type', 'application/json');
    response.setHeader('connection', 'close');
    response.end(JSON.stringify({ reply: { text: text.toUpperCase() } }));
  });

async function run({ config, files = {} }: Example) {
  const written = config.includes('{{URL}}') ? config.replaceAll('{{URL}}', await service()) : config;
  const cwd = await temporaryFolder({ ...files, 'promptfooconfig.yaml': written });
  for (const path of Object.keys(files)) if (path.endsWith('.sh')) await chmod(join(cwd, path), 0o755);
  return assay(['run', 'promptfooconfig.yaml', '--json'], { cwd, env: { ...keys, ...model.environment } });
}

describe('configs in the shapes of the examples of promptfoo', () => {
  it('run in three of five cases at least', () => {
    const all = accepted.length + refused.length;
    expect(all).toBeGreaterThanOrEqual(40);
    expect(accepted.length / all).toBeGreaterThanOrEqual(0.6);
  });

  it.each(accepted)('run with the outcomes of promptfoo: %s', async (_, example) => {
    const { stdout, stderr } = await run(example);
    const trials: { outcome: string; reason: string; evaluatorResults: { reason: string }[] }[] =
      stdout === '' ? [] : JSON.parse(stdout).trials;
    const why = trials.map(({ reason, evaluatorResults }) =>
      [reason, ...evaluatorResults.map((each) => each.reason)].join('\n'),
    );
    expect(trials.map(({ outcome }) => outcome).join(' '), `${stderr}${why.join('\n')}`).toBe(example.outcomes);
  });

  it.each(refused)('or are refused with place and reason: %s', async (_, example) => {
    const { exitCode, stderr } = await run(example);
    expect(stderr).toContain(example.says.startsWith(':') ? `promptfooconfig.yaml${example.says}` : example.says);
    expect(exitCode).toBe(2);
  });
});

describe('assay init --from', () => {
  const config =
    "prompts: ['{{x}}']\nproviders: [echo]\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]\n";

  it('names the files of another program in a config, and they run', async () => {
    const cwd = await temporaryFolder({ 'promptfooconfig.yaml': config });
    const { exitCode, stdout } = await assay(['init', '--from', 'promptfoo'], { cwd });
    expect(stdout).toContain('promptfooconfig.yaml  runs as it is: 1 case');
    expect(exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'assay.config.yaml'), 'utf8')).toBe('scenarios:\n  - "promptfooconfig.yaml"\n');
    expect((await assay(['run'], { cwd })).exitCode).toBe(0);
  });

  it('explains what does not run', async () => {
    const cwd = await temporaryFolder({ 'promptfooconfig.yaml': config.replace('[echo]', '[nobody:x]') });
    const { exitCode, stdout, stderr } = await assay(['init', '--from', 'promptfoo'], { cwd });
    expect(stderr).toContain('no equal: promptfooconfig.yaml:2:13: the provider "nobody:x" has no equal in Assay');
    expect(stdout).toContain('promptfooconfig.yaml  does not run: 1 problem');
    expect(stdout).toContain('assay import --config <file>');
    expect(stdout).toContain('Fix these files, or take them out of `scenarios` in the config, then run:\n  assay run');
    expect(exitCode).toBe(3);
  });

  it.each([
    ['mcpvals', 'no files of mcpvals in this folder'],
    ['deepeval', 'Assay reads no files of "deepeval"'],
  ])('refuses what is not there: %s', async (name, says) => {
    const { exitCode, stderr } = await assay(['init', '--from', name], { cwd: await temporaryFolder({}) });
    expect(stderr).toContain(says);
    expect(exitCode).toBe(2);
  });
});
