import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const skillText = (description = 'Counts zebras when zebras are to be counted.'): string =>
  `---\nname: zebras\ndescription: ${description}\n---\n\n# Zebras\n\nCount every zebra with a pencil.\n`;

interface Project {
  readonly scenario: object;
  readonly agents: object;
  readonly files?: Readonly<Record<string, string>>;
}

const project = ({ scenario, agents, files = {} }: Project): Promise<string> =>
  temporaryFolder({
    'assay.config.yaml': JSON.stringify({ agent: 'a', agents, isolation: 'none' }),
    'scenario.yaml': JSON.stringify({ name: 'S', description: 'about skills', ...scenario }),
    'skills/zebras/SKILL.md': skillText(),
    'skills/zebras/scripts/count.sh': 'echo 3\n',
    ...files,
  });

interface Result {
  readonly type: string;
  readonly state: string;
  readonly reason: string;
}

interface SkillTrial {
  readonly outcome: string;
  readonly caseId: string;
  readonly variant: { readonly skills?: string };
  readonly metrics: Readonly<Record<string, number>>;
  readonly evaluatorResults: readonly Result[];
}

async function run(folder: string): Promise<readonly SkillTrial[]> {
  const { stdout, stderr } = await assay(['run', 'scenario.yaml', '--json', '--no-cache'], { cwd: folder });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout).trials;
}

const scripted = (steps: readonly unknown[]) => ({
  agents: { a: { kind: 'scripted', script: 'agent.yaml' } },
  files: { 'agent.yaml': JSON.stringify({ steps }) },
});

const task = { task: 'Count the zebras.', skills: { with: 'skills/zebras', without: null } };
const used = (trial: SkillTrial | undefined): string => {
  const result = trial?.evaluatorResults.find(({ type }) => type === 'skill-used');
  return `${result?.state}: ${result?.reason}`;
};
const ofArm = (trials: readonly SkillTrial[], arm: string): SkillTrial | undefined =>
  trials.find(({ variant }) => variant.skills === arm);

describe('a skill', () => {
  it('lies where the agent looks for skills, in its variant only', async () => {
    const gates = [{ type: 'file_matches', path: 'found.txt', pattern: '^[.]/[.]agents/skills/zebras/SKILL[.]md\\n$' }];
    const steps = ['find . -name SKILL.md > found.txt', 'sh .agents/skills/zebras/scripts/count.sh'];
    const folder = await project({ scenario: { ...task, gates }, ...scripted(steps) });
    const trials = await run(folder);
    expect(trials.map(({ variant, outcome }) => [variant.skills, outcome])).toEqual([
      ['with', 'pass'],
      ['without', 'fail'],
    ]);
  });

  it('does not bring its evaluations along', async () => {
    const gates = [{ type: 'file_matches', path: 'found.txt', pattern: '^[.]/[.]agents/skills/zebras/SKILL[.]md\\n$' }];
    const steps = ['find . -name SKILL.md -o -name answers.json > found.txt'];
    const agent = scripted(steps);
    const files = { ...agent.files, 'skills/zebras/evals/answers.json': '{}' };
    const folder = await project({ scenario: { ...task, gates }, ...agent, files });
    expect(ofArm(await run(folder), 'with')?.outcome).toBe('pass');
  });

  it('was used where its SKILL.md was read, and not where it was only listed', async () => {
    const scenario = { ...task, evaluators: [{ type: 'skill-used' }] };
    const reading = await project({ scenario, ...scripted(['cat .agents/skills/zebras/SKILL.md || true']) });
    const read = await run(reading);
    expect(used(ofArm(read, 'with'))).toBe(
      'pass: The skill was used: its instructions are in the result of call 1, shell',
    );
    expect(used(ofArm(read, 'without'))).toBe('skipped: This variant has no skill');
    const listing = await project({ scenario, ...scripted(['ls -R .agents || true', 'cat .agents/none/SKILL.md']) });
    const listed = await run(listing);
    expect(used(ofArm(listed, 'with'))).toBe('fail: The skill was not used: zebras was neither loaded nor read');
    expect(ofArm(listed, 'with')?.outcome).toBe('fail');
  });

  it('must not be used where the scenario says so', async () => {
    const evaluators = [{ type: 'skill-used', config: { used: false } }];
    const scenario = { task: 'Count.', skills: ['skills/zebras'], evaluators };
    const folder = await project({ scenario, ...scripted(['cat .agents/skills/zebras/SKILL.md']) });
    expect((await run(folder))[0]?.outcome).toBe('fail');
  });
});

/** A program that prints the lines of its script, in the format of Claude Code. */
const printing = (lines: readonly object[]) => ({
  agents: { a: { kind: 'command', command: 'node agent.mjs' } },
  files: { 'tpl/agent.mjs': lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join('\n') },
});

const init = { type: 'system', subtype: 'init', session_id: 's', tools: ['Bash', 'Skill'] };
const calling = (name: string, input: object) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', id: 'c', name, input }], usage: {} },
});
const answered = (content: string, isError = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: 'c', content, is_error: isError }] },
});
const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'done', usage: {} };

describe('a skill of an agent with a tool for skills', () => {
  const evaluators = [{ type: 'skill-used' }];
  const scenario = { task: 'Count.', skills: ['skills/zebras'], evaluators };
  const cases: readonly (readonly [string, readonly object[], RegExp])[] = [
    ['loaded it', [calling('Skill', { skill: 'zebras' }), answered('Launching')], /^pass: .* loaded by call 1, Skill$/],
    ['loaded it from a plug-in', [calling('Skill', { skill: 'zoo:zebras' }), answered('ok')], /^pass/],
    ['read its file', [calling('Read', { file_path: '/w/.claude/skills/zebras/SKILL.md' }), answered('')], /^pass/],
    ['failed to load it', [calling('Skill', { skill: 'zebras' }), answered('unknown skill', true)], /^fail/],
    ['loaded another', [calling('Skill', { skill: 'lions' }), answered('Launching')], /^fail/],
    ['named none', [calling('Skill', {}), answered('Launching')], /not reported|undefined/],
  ];

  it.each(cases)('is known where it %s', async (_title, lines, expected) => {
    const folder = await project({
      scenario: { ...scenario, template_folder: 'tpl' },
      ...printing([init, ...lines, result]),
    });
    const [trial] = await run(folder);
    expect(used(trial)).toMatch(expected);
  });

  it('cannot be judged where the agent prints only its answer', async () => {
    const agents = { a: { kind: 'command', command: 'echo I counted 3 zebras' } };
    const [trial] = await run(await project({ scenario, agents }));
    expect(trial?.outcome).toBe('error');
    expect(used(trial)).toMatch(/does not report tool calls/);
  });
});

/** An agent that puts a skill into its prompt by itself where the task is about it, and prints only its answer. */
const prompting = (modelUrl: string) => ({
  agents: {
    a: {
      kind: 'command',
      command: 'node agent.mjs',
      format: 'text',
      baseUrl: `${modelUrl}/v1`,
      apiKey: 'sk-of-the-test-01',
      model: 'm',
    },
  },
  files: {
    'tpl/agent.mjs': `
import { readdirSync, readFileSync } from 'node:fs';
const { ASSAY_BASE_URL: url, ASSAY_API_KEY: key, ASSAY_PROMPT: task } = process.env;
const file = readdirSync('.', { recursive: true }).find((path) => path.endsWith('SKILL.md'));
const text = file === undefined ? '' : readFileSync(file, 'utf8');
const system = task.includes('zebras') ? text : text.split('---')[1] ?? '';
const messages = [{ role: 'system', content: 'Skills: ' + system }, { role: 'user', content: task }];
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
await fetch(url + '/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model: 'm', messages }) });
console.log('Done.');`,
  },
});

describe('a skill of an agent that loads it without a tool call', () => {
  const scenario = { skills: ['skills/zebras'], evaluators: [{ type: 'skill-used' }], template_folder: 'tpl' };

  it('was used where the gateway saw its instructions in a prompt', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Three.' }] });
    const [trial] = await run(
      await project({ scenario: { ...scenario, task: 'Count the zebras.' }, ...prompting(model.url) }),
    );
    expect(used(trial)).toBe('pass: The skill was used: its instructions are in the prompt of 1 request');
  });

  it('is not known to be unused where only its description was in the prompt', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Hello.' }] });
    const [trial] = await run(
      await project({ scenario: { ...scenario, task: 'Say hello.' }, ...prompting(model.url) }),
    );
    expect(trial?.outcome).toBe('error');
    expect(used(trial)).toMatch(/does not report tool calls/);
  });

  it('is not recognised by a line that is in the task itself', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Hello.' }] });
    const task = 'Say: Count every zebra with a pencil.';
    const [trial] = await run(await project({ scenario: { ...scenario, task }, ...prompting(model.url) }));
    expect(trial?.outcome).toBe('error');
  });
});

describe('trigger prompts', () => {
  const prompts = { should: ['Count the zebras.', 'How many zebras?'], should_not: ['Feed the zebras.', 'Hello.'] };
  const steps = [{ run: 'cat .agents/skills/zebras/SKILL.md', when: { prompt_matches: '(?i)count|feed' } }, 'true'];

  it('are a case each, judged and measured by whether they triggered the skill', async () => {
    const folder = await project({ scenario: { skills: ['skills/zebras'], triggers: prompts }, ...scripted(steps) });
    const trials = await run(folder);
    expect(trials.map(({ caseId, outcome, metrics }) => [caseId, outcome, metrics])).toEqual([
      ['should: Count the zebras.', 'pass', { 'skill-triggering': 1, 'skill-recall': 1 }],
      ['should: How many zebras?', 'fail', { 'skill-triggering': 0, 'skill-recall': 0 }],
      ['should not: Feed the zebras.', 'fail', { 'skill-triggering': 0, 'skill-false-triggers': 1 }],
      ['should not: Hello.', 'pass', { 'skill-triggering': 1, 'skill-false-triggers': 0 }],
    ]);
    const shown = await assay(['show', 'latest'], { cwd: folder });
    expect(shown.stdout).toMatch(/50 % \(9 % to 91 %\) +50 % \(9 % to 91 %\)/);
    const markdown = await assay(['report', 'latest', '--format', 'markdown', '--output', 'out'], { cwd: folder });
    expect(markdown.exitCode).toBe(0);
  });

  it.each([
    ['no skills', { triggers: prompts, gates: [] }, 'needs `skills` with exactly one skill'],
    ['an arm without', { skills: { with: 'skills/zebras', without: null }, triggers: prompts }, 'exactly one skill'],
    ['a task', { task: 'x', skills: ['skills/zebras'], triggers: prompts }, 'cannot be used together'],
    ['a prompt twice', { skills: ['skills/zebras'], triggers: { should: ['x', 'x'] } }, 'duplicate prompt `x`'],
    ['a missing file', { skills: ['skills/zebras'], triggers: 'none.yaml' }, 'there is no file `none.yaml`'],
    ['a skill without a name', { task: 'x', skills: ['skills/nameless'], gates: [] }, 'has no `name`'],
    ['a skill without front matter', { task: 'x', skills: ['skills/plain'], gates: [] }, 'front matter'],
    ['a folder without SKILL.md', { task: 'x', skills: ['skills/empty'], gates: [] }, 'has no SKILL.md'],
  ])('are refused with %s', async (_title, scenario, message) => {
    const files = {
      'skills/nameless/SKILL.md': '---\ndescription: d\n---\n\nLong enough text.\n',
      'skills/plain/SKILL.md': '# Plain\n',
      'skills/empty/README.md': 'nothing\n',
    };
    const { agents, files: script } = scripted(['true']);
    const folder = await project({ scenario, agents, files: { ...files, ...script } });
    const { stdout, stderr, exitCode } = await assay(['validate', 'scenario.yaml'], { cwd: folder });
    expect(stdout + stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
