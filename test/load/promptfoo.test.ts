import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const fixtures = fileURLToPath(new URL('../fixtures/promptfoo', import.meta.url));

const verdict = (answer: string, quote: string) => ({
  criteria: [{ id: 'success-1', reasoning: 'r', evidence: [{ event: 'e2', quote }], answer }],
  confidence: 0.9,
});

const rules: ScriptSource['rules'] = [
  {
    when: { path: 'embeddings', last: 'near it' },
    reply: {
      json: [
        [1, 0],
        [1, 0.1],
      ],
    },
  },
  {
    when: { path: 'embeddings' },
    reply: {
      json: [
        [1, 0],
        [0, 1],
      ],
    },
  },
  { when: { model: 'gpt-4o-mini', system: 'haiku' }, reply: { json: verdict('not-met', 'Madrid is') } },
  { when: { model: 'gpt-4o-mini' }, reply: { json: verdict('met', 'Paris is') } },
  { when: { system: 'pirate' }, reply: 'Arr, Paris!' },
  { when: { system: 'French', last: 'FRANCE' }, reply: 'Paris, monsieur.' },
  { when: { last: 'capital of France' }, reply: 'Paris is the capital of France.' },
  { when: { last: 'capital of Spain' }, reply: 'Madrid is the capital.' },
  { when: { last: 'capital of Italy' }, reply: 'Rome is the capital of Italy.' },
  { when: { last: 'fenced json' }, reply: 'Here:\n```json\n{"name":"Ada","age":36}\n```' },
  { when: { last: 'plain json' }, reply: '{"name":"Ada","age":36}' },
  { reply: 'I do not know.' },
];

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel({ rules });
});
afterAll(() => model[Symbol.asyncDispose]());

/** A copy of a config, whose `{{URL}}` is that of a server that shouts at `/chat`, and echoes at other paths. */
async function projectOf(name: string): Promise<string> {
  const folder = await temporaryFolder({});
  await cp(join(fixtures, name), folder, { recursive: true });
  const file = join(folder, 'promptfooconfig.yaml');
  const text = await readFile(file, 'utf8');
  if (!text.includes('{{URL}}')) return folder;
  const url = await serve(async (request, response) => {
    const { text: sent } = JSON.parse(await bodyOf(request)) as { text: string };
    response.setHeader('content-type', 'application/json');
    // A kept connection could be closed while this process is busy.
    response.setHeader('connection', 'close');
    response.end(JSON.stringify(request.url === '/chat' ? { reply: { text: sent.toUpperCase() } } : { text: sent }));
  });
  await writeFile(file, text.replaceAll('{{URL}}', url));
  return folder;
}

interface Trial {
  readonly trialId: string;
  readonly caseId: string;
  readonly variant: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly reason: string;
  readonly fault: { readonly code: string } | null;
}

async function outcomes(
  cwd: string,
  path = '.',
): Promise<{ readonly trials: readonly Trial[]; readonly stderr: string }> {
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', BOT_TOKEN: 't', ...model.environment };
  const run = await assay(['run', path, '--json', '--concurrency', '4'], { cwd, env });
  return { trials: run.stdout === '' ? [] : JSON.parse(run.stdout).trials, stderr: run.stderr };
}

/** Expected outcomes by case, and by variant where there are several; the same as promptfoo 0.121.20 gives, except where code fails. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '01-contains': { France: 'pass', Spain: 'fail', Italy: 'pass', Peru: 'fail' },
  '02-prompts': {
    'test-1 prompts.txt 1': 'pass',
    'test-1 prompts.txt 2': 'fail',
    'test-1 chat': 'pass',
    'test-1 chat.yaml': 'pass',
  },
  '03-anthropic': { France: 'pass', Spain: 'fail' },
  '04-http': {
    'text path': 'pass',
    'text code': 'pass',
    'text whole': 'pass',
    'field path': 'fail',
    'field code': 'pass',
    'field whole': 'fail',
  },
  '05-exec': { shouts: 'pass', 'does not whisper': 'fail', breaks: 'error TARGET_CRASHED' },
  '06-vars': {
    'test-1': 'pass',
    'test-2': 'pass',
    'test-3': 'pass',
    'test-4': 'pass',
    'other user': 'pass',
    'test-6': 'fail',
    'data of a file is text': 'pass',
  },
  '07-json': { plain: 'pass', fenced: 'pass', 'fenced is not plain': 'fail', 'other schema': 'fail' },
  '08-javascript': {
    expression: 'pass',
    body: 'fail',
    module: 'pass',
    score: 'fail',
    negated: 'pass',
    throws: 'error CODE_FAILED',
    'other context': 'error CODE_FAILED',
    'no verdict': 'error CODE_FAILED',
  },
  '09-thresholds': {
    enough: 'pass',
    'too little': 'fail',
    'without a threshold all count': 'fail',
    'weight 0 decides nothing': 'pass',
    set: 'pass',
    'whole set': 'fail',
    'score of code': 'pass',
  },
  '10-model-graded': { rubric: 'pass', 'failed rubric': 'fail', near: 'pass', far: 'fail' },
  '11-csv': { France: 'pass', Spain: 'fail', Italy: 'pass', Peru: 'pass', Chile: 'fail' },
  '12-scenarios': {
    'test-1': 'pass',
    'starts with p': 'pass',
    'test-3': 'pass',
    'starts with p (test-4)': 'fail',
    'own transform': 'pass',
  },
};

/** By case, and by variant where there are several. */
function verdictsOf(trials: readonly Trial[]): Record<string, string> {
  const variants = new Set(trials.map(({ variant }) => JSON.stringify(variant)));
  const found = trials.map(({ caseId, variant, outcome, fault }) => {
    const part = variants.size > 1 ? ` ${variant.guidance ?? variant.connector}` : '';
    return [`${caseId}${part}`, outcome === 'error' ? `error ${fault?.code}` : outcome];
  });
  return Object.fromEntries(found);
}

const head = "prompts: ['Say {{word}}']\nproviders: ['exec: echo']\n";

describe('a promptfoo config', () => {
  it('has an expectation here for each of the twelve', async () => {
    expect((await readdir(fixtures)).sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.entries(expected))('runs as it is: %s', async (name, wanted) => {
    const cwd = await projectOf(name);
    const { trials, stderr } = await outcomes(cwd);
    expect(verdictsOf(trials), stderr).toEqual(wanted);
    // Of `evaluateOptions`.
    expect(trials).toHaveLength(Object.keys(wanted).length * (name === '12-scenarios' ? 2 : 1));
    const own = trials.find(({ caseId }) => caseId === 'own transform');
    if (!own) return;
    const { trace } = JSON.parse((await assay(['show', own.trialId, '--json'], { cwd })).stdout);
    // The answer is kept as it came, beside the transformed one.
    const data = { from: 'Rome is the capital of Italy.', to: 'r' };
    expect(trace).toContainEqual(expect.objectContaining({ kind: 'transformed', data }));
  });

  it.each(Object.entries(expected))('gives the same verdicts as native scenarios: %s', async (name, wanted) => {
    const cwd = await projectOf(name);
    const written = await assay(['import', '--config', 'promptfooconfig.yaml', '--json'], { cwd });
    const { files, leftOut } = JSON.parse(written.stdout);
    expect(leftOut).toEqual([]);
    const { trials, stderr } = await outcomes(cwd, files[0]);
    expect(verdictsOf(trials), stderr).toEqual(wanted);
  });

  it('is written without the tests that have no equal, which are listed, and overwrites nothing', async () => {
    const tests = `tests:
  - { description: kept, vars: { word: hi }, assert: [{ type: contains, value: hi }] }
  - { description: other, vars: { word: hi }, assert: [{ type: contains, value: hi }, { type: rouge-n, value: x }] }
  - { description: own provider, vars: { word: hi }, provider: x, assert: [{ type: contains, value: hi }] }
  - { description: nothing, vars: { word: hi } }
`;
    const cwd = await temporaryFolder({ 'promptfooconfig.yaml': `${head}${tests}` });
    const written = await assay(['import', '--config', 'promptfooconfig.yaml'], { cwd });
    expect(written.exitCode).toBe(3);
    expect(written.stdout).toContain('1 scenario with 1 case; 3 parts without an equal');
    expect(written.stderr).toContain(
      'no equal: promptfooconfig.yaml:5:95: the assertion "rouge-n" has no equal in Assay',
    );
    expect(written.stderr).toContain('`provider` of a test has no equal');
    expect(written.stderr).toContain('test "nothing": it asserts nothing');
    const { trials } = await outcomes(cwd, 'promptfooconfig-scenarios.yaml');
    expect(verdictsOf(trials)).toEqual({ kept: 'pass' });
    const again = await assay(['import', '--config', 'promptfooconfig.yaml'], { cwd });
    expect(again.stderr).toContain('exists already');
    expect(again.exitCode).toBe(2);
    const other = await assay(['import', '--config', 'promptfooconfig-scenarios.yaml'], { cwd });
    expect(other.stderr).toContain('is not a config of promptfoo');
  });
});

describe('assertions of a promptfoo config', () => {
  it('give the verdicts that promptfoo gave: weights, thresholds, negations and sets at random', async () => {
    const cwd = await projectOf('../promptfoo-verdicts');
    const { verdicts } = JSON.parse(await readFile(join(cwd, 'verdicts.json'), 'utf8'));
    const { trials, stderr } = await outcomes(cwd, 'promptfooconfig.yaml');
    expect(Object.fromEntries(trials.map(({ caseId, outcome }) => [caseId, outcome])), stderr).toEqual(verdicts);
  });

  it('are not judged where every weight is 0, and a set of them does not reach its threshold', async () => {
    const config = `prompts: ['{{text}}']
providers: ['exec: echo']
defaultTest: { vars: { text: hi } }
tests:
  - { description: nothing decides, threshold: 0.5, assert: [{ type: contains, value: hi, weight: 0 }] }
  - description: set
    assert:
      - { type: contains, value: hi }
      - { type: assert-set, threshold: 0.5, assert: [{ type: contains, value: hi, weight: 0 }] }
  - description: quoted
    assert: [{ type: contains-any, value: '"a, b", "h""i", hi ' }]
`;
    const cwd = await temporaryFolder({ 'promptfooconfig.yaml': config });
    const { trials } = await outcomes(cwd);
    expect(trials).toMatchObject([
      { outcome: 'error', fault: { code: 'NOTHING_ASSERTED' } },
      { outcome: 'fail' },
      { outcome: 'pass' },
    ]);
  });
});

const test = (rest: string) => `${head}tests:\n  - vars: { word: hi }\n${rest}`;
const asserting = (assertion: string) => test(`    assert: [${assertion}]\n`);

/** Parts without an equal; leaving one out could make a test pass. */
const refusals: readonly (readonly [string, string, string])[] = [
  [
    'webhooks',
    asserting('{ type: webhook, value: "http://x" }'),
    '5:22: the assertion "webhook" has no equal in Assay',
  ],
  ['another assertion', asserting('{ type: rouge-n, value: x }'), '5:22: the assertion "rouge-n" has no equal'],
  [
    'a part of an assertion',
    asserting('{ type: contains, value: x, transform: output }'),
    '5:42: `transform` of an assertion',
  ],
  ['an empty value', asserting('{ type: contains }'), '5:14: `value` of this assertion must be a text'],
  ['a pattern', asserting("{ type: regex, value: '(?=x)' }"), '5:14: the regular expression cannot be used'],
  ['code', asserting("{ type: javascript, value: 'output +' }"), '5:14: the code cannot be used'],
  ['code of a file', asserting('{ type: javascript, value: file://no.js }'), '5:41: there is no file no.js'],
  ['a limit', asserting('{ type: latency }'), '5:14: `threshold` of this assertion is missing'],
  [
    'graders',
    asserting('{ type: llm-rubric, value: x, provider: "ollama:x" }'),
    '5:54: the provider "ollama:x" cannot grade here',
  ],
  ['a part of a test', test('    provider: x\n'), '5:5: `provider` of a test has no equal'],
  ['an option', test('    options: { storeOutputAs: x }\n'), '5:16: `storeOutputAs` in the `options` of a test'],
  ['a program as tests', `${head}tests: file://tests.py\n`, '3:8: tests from tests.py have no equal'],
  ['a missing file', `${head}tests: file://tests.yaml\n`, 'tests.yaml:1:1: the file does not exist'],
  ['a var', `${head}tests:\n  - vars: { word: file://x.js }\n`, '4:19: a var from x.js has no equal'],
  ['a column', `${head}tests: rows.csv\n`, 'rows.csv:2:1: `__provider` of a test has no equal'],
  ['extensions', `${head}extensions: [file://x.js:hook]\ntests: []\n`, '3:1: `extensions` of a promptfoo config'],
  [
    'blocks',
    "prompts: ['Say {% call x() %}a{% endcall %}']\nproviders: ['exec: echo']\n",
    '1:16: `{% call x() %}` has no equal',
  ],
  [
    'filters',
    "prompts: ['Say {{ x | wordwrap(3) }}']\nproviders: ['exec: echo']\n",
    '1:16: `{{ x | wordwrap(3) }}` has no',
  ],
  [
    'variables',
    "prompts: ['{{env.HOME}}']\nproviders: ['exec: echo']\n",
    '1:12: `{{env.HOME}}` is supported in providers only',
  ],
  ['a prompt of code', "prompts: [file://p.py]\nproviders: ['exec: echo']\n", '1:11: a prompt from p.py has no equal'],
  [
    'a prompt that is kept elsewhere',
    "prompts: ['langfuse://greeting@production']\nproviders: ['exec: echo']\n",
    '1:11: a prompt from langfuse:// cannot be read by Assay',
  ],
  ['a provider', "prompts: [x]\nproviders: ['cohere:x']\n", '2:13: the provider "cohere:x" has no equal'],
  ['a provider of code', 'prompts: [x]\nproviders: [file://p.py]\n', '2:13: there is no file p.py'],
  [
    'a setting',
    'prompts: [x]\nproviders: [{ id: "openai:x", config: { logprobs: true } }]\n',
    '2:41: `logprobs` of this provider',
  ],
  [
    'an unused prompt',
    'prompts: [x]\nproviders: [{ id: "http://127.0.0.1:9/", config: { method: POST } }]\n',
    '`body` of the HTTP provider is missing',
  ],
  [
    'a body that promptfoo does not send',
    'prompts: [x]\nproviders: [{ id: "http://127.0.0.1:9/", config: { body: { text: "{{prompt}}" } } }]\n',
    'Add `method: POST`; promptfoo sends GET without it.',
  ],
];

describe('a promptfoo config that has no equal', () => {
  it.each(refusals)('is refused with its place, and runs nothing: %s', async (_, text, problem) => {
    const cwd = await temporaryFolder({ 'promptfooconfig.yaml': text, 'rows.csv': 'word,__provider\nhi,x\n' });
    const run = await assay(['run', 'promptfooconfig.yaml', '--json'], { cwd });
    expect(run.stderr).toContain(problem);
    expect(run.exitCode).toBe(2);
  });

  it('leaves nothing asserted as an error, and names vars that a test lacks', async () => {
    const cwd = await temporaryFolder({
      'promptfooconfig.yaml': `${head.replace('{{word}}', '{{other}}')}tests: [{}]\n`,
    });
    const { trials, stderr } = await outcomes(cwd);
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'NOTHING_ASSERTED' } }]);
    expect(stderr).toContain('`{{other}}` of a prompt is empty: the test has no such var');
  });
});
