import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { loadCliTools } from '../../../../testing/support/llm-tool-test.ts';
import { unmarked } from '../../../../testing/support/problems.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

/** Lines of a good scenario, to be put before or after the bad one. */
const head = 'name: m\ntarget: { binary: tool }\n';
const task = 'task: { prompt: Do it }\n';
const good = `${head}${task}evaluation: { gates: [] }\n`;
const servers = 'mcp_servers: { a: { command: x }, b: { command: y } }\n';
const gate = (text: string) => `${head}${task}evaluation:\n  gates:\n    - ${text}\n`;
const judge = (text: string) => `${head}${task}evaluation:\n  judge: ${text}\n`;

const gateTypes =
  'Known: `command_succeeds`, `command_output_contains`, `command_output_matches`, `command_json_path`, `file_exists`, `file_contains`, `file_matches`, `no_transcript_errors`, `script`, `reward`.';
const configHint = 'Add `target: { binary: … }`, or a `[target]` to llm-tool-test-config.toml.';
const gatesHint = 'Add `gates: [ … ]`, or `gates: []` if there is nothing to check.';
const quoteHint = (value: string) => `Put it in quotes: "${value}".`;

/** The mistake, the file with ▸ at its place, and the reported message. */
type Row = readonly [about: string, text: string, message: string, hint?: string];

const notCalled = (tool: string) =>
  `${good}${servers.replace('a:', 'book_shop:')}evaluators: [{ type: tool-not-called, config: { tool: ▸${tool} } }]\n`;
const noServer = ['No server is called `Book-Shop`, but one is called `book_shop`.', 'Write `book_shop/buy`.'] as const;

const toolNames: readonly Row[] = [
  ['a tool of a server that is written in another way', notCalled('Book-Shop/buy'), ...noServer],
  ['a tool of such a server, as agents name it', notCalled('mcp__Book-Shop__buy'), ...noServer],
];

const mocks: readonly Row[] = [
  [
    'a mock of another program',
    `${good}tools:\n  ▸tol: { stdout: a }\n`,
    '`tol` is not a program under test',
    'Did you mean `tool`?',
  ],
  [
    'a mock of a program that is not similar',
    `${good}tools:\n  ▸grep: { stdout: a }\n`,
    '`grep` is not a program under test',
    'Known: `tool`.',
  ],
  ['misspelt mocks', `${good}▸tols:\n  tool: { stdout: a }\n`, 'unknown key `tols`', 'Did you mean `tools`?'],
  [
    'a misspelt key of a mock',
    `${good}tools:\n  tool:\n    - { ▸exitcode: 1 }\n`,
    'unknown key `exitcode`',
    'Did you mean `exitCode`?',
  ],
  [
    'a mock without answer',
    `${good}tools:\n  tool: ▸{ when: { args: [a] } }\n`,
    'this mock has no answer',
    'Give `real`, `simulate`, or any of `stdout`, `stderr`, `exitCode` and `files`.',
  ],
  [
    'a mock with two answers',
    `${good}tools:\n  tool: ▸{ real: true, stdout: a }\n`,
    'this mock has several answers: `real`, `stdout`',
    'Give `real`, `simulate`, or any of `stdout`, `stderr`, `exitCode` and `files`.',
  ],
  [
    'an exit code that does not exist',
    `${good}tools: { tool: { exitCode: ▸256 } }\n`,
    '`tools.tool.exitCode` must be at most 255, not 256',
  ],
  [
    'exact without arguments',
    `${good}tools: { tool: { when: { exact: ▸true }, stdout: a } }\n`,
    '`exact` needs `args`',
  ],
  [
    'an unknown template',
    `${good}tools: { tool: { stdout: "a ▸{{argv.0}}" } }\n`,
    'unknown template `{{argv.0}}`: use `{{args.0}}`, `{{args}}`, `{{stdin}}` or `{{call}}`',
  ],
  [
    'a template in a template',
    `${good}tools: { tool: { stderr: "{{args.▸{{call}}}}" } }\n`,
    'a template cannot stand inside another template',
  ],
  [
    'an unknown template in the name of a file',
    `${good}tools: { tool: { files: { "{{x}}": ▸a } } }\n`,
    'unknown template `{{x}}`: use `{{args.0}}`, `{{args}}`, `{{stdin}}` or `{{call}}`',
  ],
  [
    'mocks in a container',
    `${good}isolation: container\nimage: debian\n▸tools: { tool: { stdout: a } }\n`,
    '`tools` cannot be used with `isolation: container`',
  ],
];

const basics: readonly Row[] = [
  ['a missing name', `▸target: { binary: tool }\n${task}gates: []\n`, '`name` is missing'],
  ['an empty name', good.replace('name: m', 'name: ▸""'), '`name` must not be empty'],
  ['a name that is a number', good.replace('name: m', 'name: ▸7'), '`name` must be text, not a number', quoteHint('7')],
  ['a name without value', good.replace('name: m', 'name:▸'), '`name` must be text, not empty'],
  ['a misspelt name', good.replace('name: m', '▸nmae: m'), 'unknown key `nmae`', 'Did you mean `name`?'],
  [
    'a wrong name beside a key that is nearly the same',
    good.replace('name: m', 'nmae: x\nname: ▸7'),
    '`name` must be text, not a number',
    quoteHint('7'),
  ],
  ['a description that is a list', `${good}description: ▸[a]\n`, '`description` must be text, not a list'],
  ['a missing task', `▸${head}gates: []\n`, '`task` is missing', 'Its keys: `prompt`.'],
  ['a misspelt task', good.replace('task:', '▸taks:'), 'unknown key `taks`', 'Did you mean `task`?'],
  ['an empty task', `${head}task: ▸""\ngates: []\n`, '`task` must not be empty'],
  ['a blank prompt', `${head}task: { prompt: ▸"  " }\ngates: []\n`, '`task.prompt` must not be empty'],
  [
    'a task that is a list',
    `${head}task: ▸[do it]\ngates: []\n`,
    '`task` must be an object, not a list',
    'Its keys: `prompt`.',
  ],
  ['a missing prompt', `${head}task: ▸{ text: Do it }\ngates: []\n`, '`task.prompt` is missing'],
  ['a misspelt prompt', `${head}task: { ▸promt: Do it }\ngates: []\n`, 'unknown key `promt`', 'Did you mean `prompt`?'],
  [
    'a prompt that is a mapping',
    `${head}task:\n  prompt: ▸{ a: b }\ngates: []\n`,
    '`task.prompt` must be text, not an object',
    'Put the whole text in quotes if it contains a `: ` or begins with `{`.',
  ],
  ['tags that are text', `${good}tags: ▸smoke\n`, '`tags` must be a list, not text', 'Write a list: `["smoke"]`.'],
  ['an empty tag', `${good}tags: [a, ▸""]\n`, '`tags[1]` must not be empty'],
  ['a tier that is text', `${good}tier: ▸first\n`, '`tier` must be a number, not text'],
  ['a tier below zero', `${good}tier: ▸-1\n`, '`tier` must be at least 0'],
  ['no repeats', `${good}repeat: ▸0\n`, '`repeat` must be at least 1'],
  ['an empty template', `${good}template_folder: ▸""\n`, '`template_folder` must not be empty'],
  [
    'a template that is nowhere',
    `${good}template_folder: ▸nope\n`,
    'there is no folder `nope`',
    'Searched: `deep/nope`, `nope`, `fx/templates/nope`, `fx/nope`.',
  ],
  ['a template that is a file', `${good}template_folder: ▸file.txt\n`, '`deep/file.txt` is not a folder'],
];

const targets: readonly Row[] = [
  ['a missing target', `▸name: m\n${task}gates: []\n`, '`target` is missing', configHint],
  [
    'a misspelt target',
    `name: m\n▸taget: { binary: tool }\n${task}gates: []\n`,
    'unknown key `taget`',
    'Did you mean `target`?',
  ],
  [
    'a target that is a name',
    `name: m\ntarget: ▸tool\n${task}gates: []\n`,
    '`target` must be an object or `from_config`, not `tool`',
    'Name a program with `target: { binary: tool }`.',
  ],
  [
    'a misspelt from_config',
    `name: m\ntarget: ▸from_confg\n${task}gates: []\n`,
    '`target` must be an object or `from_config`, not `from_confg`',
    'Did you mean `from_config`?',
  ],
  [
    'a target from a config that has none',
    `name: m\ntarget: ▸from_config\n${task}gates: []\n`,
    '`target` is `from_config`, but the config has no `target`',
    configHint,
  ],
  [
    'a target that is a list',
    `name: m\ntarget: ▸[tool]\n${task}gates: []\n`,
    '`target` must be an object, not a list',
    'Its keys: `binary`, `binaries`, `command_pattern`, `health_check`, `health_check_after`, `env`, `inputs`, `state`.',
  ],
  ['no binary', `name: m\ntarget: ▸{ env: {} }\n${task}gates: []\n`, '`target.binary` is missing', configHint],
  [
    'a misspelt binary',
    `name: m\ntarget: { ▸binari: tool }\n${task}gates: []\n`,
    'unknown key `binari`',
    'Did you mean `binary`?',
  ],
  ['a blank binary', `name: m\ntarget: { binary: ▸" " }\n${task}gates: []\n`, '`target.binary` must not be empty'],
  [
    'a pattern that is a number',
    `name: m\ntarget: { binary: t, command_pattern: ▸5 }\n${task}gates: []\n`,
    '`target.command_pattern` must be text, not a number',
    quoteHint('5'),
  ],
  [
    'a variable that is a number',
    `name: m\ntarget: { binary: t, env: { PORT: ▸80 } }\n${task}gates: []\n`,
    '`target.env.PORT` must be text, not a number',
    quoteHint('80'),
  ],
  [
    'a variable without value',
    `name: m\ntarget: { binary: t, env: { A: ▸~ } }\n${task}gates: []\n`,
    '`target.env.A` must be text, not empty',
  ],
  [
    'what the target itself refuses',
    `name: m\ntarget: { binary: t, env: { REFUSED: ▸x } }\n${task}gates: []\n`,
    'refused by the target',
  ],
];

const misspeltKeys: readonly Row[] = [
  [
    'of a gate, beside all that it needs',
    gate('{ type: command_succeeds, command: x, ▸timout_secs: 5 }'),
    'unknown key `timout_secs`',
    'Did you mean `timeout_secs`?',
  ],
  [
    'of a gate that takes nothing',
    gate('{ type: no_transcript_errors, ▸substring: x }'),
    'unknown key `substring`',
    'Known: `description`.',
  ],
  [
    'of the evaluation',
    `${head}${task}evaluation: { gates: [], ▸jugde: { enabled: true } }\n`,
    'unknown key `jugde`',
    'Did you mean `judge`?',
  ],
  ['of gates at the top', `${good}▸gate: []\n`, 'unknown key `gate`', 'Did you mean `gates`?'],
  ['of scripts', `${good}scripts: { ▸evaluator: [] }\n`, 'unknown key `evaluator`', 'Did you mean `evaluators`?'],
];

const gates: readonly Row[] = [
  ['nothing that judges', `▸${head}${task}`, '`evaluation` is missing', gatesHint],
  [
    'a misspelt evaluation',
    `${head}${task}▸evaluaton: { gates: [] }\n`,
    'unknown key `evaluaton`',
    'Did you mean `evaluation`?',
  ],
  ['an evaluation that is empty', `${head}${task}evaluation: ▸{}\n`, '`evaluation.gates` is missing', gatesHint],
  ['misspelt gates', `${head}${task}evaluation: { ▸gats: [] }\n`, 'unknown key `gats`', 'Did you mean `gates`?'],
  ['gates that are an object', `${head}${task}gates: ▸{}\n`, '`gates` must be a list, not an object'],
  ['a gate that is a number', gate('▸5'), '`evaluation.gates[0]` must be an object with a `type`', gateTypes],
  [
    'a gate that is a name',
    gate('▸no_transcript_errors'),
    '`evaluation.gates[0]` must be an object with a `type`',
    'Write `type: no_transcript_errors`, and its fields beside it.',
  ],
  ['a gate without type', gate('▸command: x'), '`evaluation.gates[0].type` is missing', gateTypes],
  [
    'a gate whose type is a key',
    gate('▸file_exists: { path: a }'),
    '`evaluation.gates[0].type` is missing',
    'Write `type: file_exists`, and its fields beside it.',
  ],
  ['a misspelt type key', gate('{ ▸tpye: file_exists, path: a }'), 'unknown key `tpye`', 'Did you mean `type`?'],
  [
    'a misspelt type',
    gate('{ type: ▸file_exist, path: a }'),
    '`evaluation.gates[0].type` cannot be `file_exist`',
    'Did you mean `file_exists`?',
  ],
  ['an unknown type', gate('{ type: ▸magic }'), '`evaluation.gates[0].type` cannot be `magic`', gateTypes],
  ['a type that is not a text', gate('{ type: ▸[1] }'), '`evaluation.gates[0].type` cannot be `[1]`', gateTypes],
  [
    'an evaluator that is not a gate',
    gate('{ type: ▸duration }'),
    '`evaluation.gates[0].type` cannot be `duration`',
    gateTypes,
  ],
  ['a missing command', gate('▸type: command_succeeds'), '`evaluation.gates[0].command` is missing'],
  [
    'a misspelt command',
    gate('{ type: command_succeeds, ▸comand: x }'),
    'unknown key `comand`',
    'Did you mean `command`?',
  ],
  [
    'a missing substring',
    gate('▸{ type: command_output_contains, command: x }'),
    '`evaluation.gates[0].substring` is missing',
  ],
  [
    'a substring that is a number',
    gate('{ type: file_contains, path: a, substring: ▸42 }'),
    '`evaluation.gates[0].substring` must be text, not a number',
    quoteHint('42'),
  ],
  [
    'a missing assertion',
    gate('▸{ type: command_json_path, command: x, path: $ }'),
    '`evaluation.gates[0].assertion` is missing',
  ],
  [
    'a path without value',
    gate('type: file_exists\n      path:▸'),
    '`evaluation.gates[0].path` must be text, not empty',
  ],
  [
    'a time limit of nothing',
    gate('{ type: command_succeeds, command: x, timeout_secs: ▸0 }'),
    '`evaluation.gates[0].timeout_secs` must be more than 0',
  ],
  [
    'a wrong gate at the top',
    `${head}${task}gates:\n  - { type: file_exists, path: a }\n  - { type: file_exists, path: ▸[] }\n`,
    '`gates[1].path` must be text, not a list',
  ],
  [
    'an old gate',
    gate('▸type: min_notes\n      count: 3'),
    'The gate min_notes was removed, because gates no longer know particular tools.',
    'Write instead: - { type: command_json_path, command: "tool list --format json", path: "$", assertion: "len >= 3" }',
  ],
  [
    'an old gate as it was once written',
    gate('▸MinNotes: { count: 3 }'),
    'The gate MinNotes was removed, because gates no longer know particular tools.',
    'Write instead: - { type: command_json_path, command: "tool list --format json", path: "$", assertion: "len >= 3" }',
  ],
  [
    'an old gate without fields',
    gate('▸DoctorPasses'),
    'The gate DoctorPasses was removed, because gates no longer know particular tools.',
    'Write instead: - { type: command_succeeds, command: "tool doctor" }',
  ],
];

const judges: readonly Row[] = [
  [
    'a judge that is text',
    judge('▸yes'),
    '`evaluation.judge` must be an object, not text',
    'Its keys: `enabled`, `model`, `samples`, `successCriteria`, `failureCriteria`, `rubric`, `pass_threshold`, `passThreshold`, `evidence`, `judgeErrors`, `evidenceFrom`, `look` and 3 more.',
  ],
  [
    'a threshold above one',
    judge('{ rubric: r.yaml, pass_threshold: ▸7 }'),
    '`evaluation.judge.pass_threshold` must be at most 1, not 7',
  ],
  [
    'a switch that is text',
    judge('{ enabled: ▸"yes", rubric: r.yaml }'),
    '`evaluation.judge.enabled` must be true or false, not text',
  ],
  ['an empty rubric', judge('{ rubric: ▸"" }'), '`evaluation.judge.rubric` must not be empty'],
  [
    'a rubric that is nowhere',
    judge('{ rubric: ▸nope.yaml }'),
    'there is no file `nope.yaml`',
    'Searched: `deep/nope.yaml`, `nope.yaml`, `fx/templates/nope.yaml`, `fx/nope.yaml`.',
  ],
  ['a rubric that is a folder', judge('{ rubric: ▸folder }'), '`folder` is not a file'],
  [
    'a weight that is text',
    `${head}${task}evaluation: { gates: [], composite: { gate_weight: ▸much } }\n`,
    '`evaluation.composite.gate_weight` must be a number, not text',
  ],
  [
    'a weight below zero',
    `${head}${task}evaluation: { gates: [], composite: { judge_weight: ▸-1 } }\n`,
    '`evaluation.composite.judge_weight` must be at least 0',
  ],
  [
    'weights that add up to nothing',
    `${head}${task}evaluation: { gates: [], composite: ▸{ judge_weight: 0, gate_weight: 0, interaction_weight: 0 } }\n`,
    'the weights add up to 0',
  ],
  [
    'an unknown evaluator',
    `${good}evaluators:\n  - type: ▸lm-judge\n`,
    '`evaluators[0].type` cannot be `lm-judge`',
    'Did you mean `llm-judge`?',
  ],
  [
    'an unknown key in an evaluator of our own',
    `${good}evaluators:\n  - { type: llm-judge, config: { successCriteria: x, ▸instuctions: y } }\n`,
    'unknown key `instuctions`',
    'Did you mean `instructions`?',
  ],
  [
    'an evaluator that needs something else',
    `${good}evaluators:\n  - ▸{ type: duration }\n`,
    '`duration` needs call-answer, which a cli-tool target does not provide',
  ],
];

const others: readonly Row[] = [
  ['setup that is a list', `${good}setup: ▸[make]\n`, '`setup` must be an object, not a list', 'Its keys: `commands`.'],
  ['setup without commands', `${good}setup: ▸{}\n`, '`setup.commands` is missing'],
  ['misspelt setup commands', `${good}setup: { ▸comands: [] }\n`, 'unknown key `comands`', 'Did you mean `commands`?'],
  ['an empty command', `${good}setup: { commands: [a, ▸" "] }\n`, 'a command must not be empty'],
  [
    'a script without command',
    `${good}scripts: { post: [▸{ timeout_secs: 3 }] }\n`,
    '`scripts.post[0].command` is missing',
  ],
  [
    'a script with a limit of nothing',
    `${good}scripts: { post: [{ command: x, timeout_secs: ▸-3 }] }\n`,
    '`scripts.post[0].timeout_secs` must be more than 0',
  ],
  [
    'an evaluator script without name',
    `${good}scripts: { evaluators: [▸{ command: x }] }\n`,
    '`scripts.evaluators[0].name` is missing',
  ],
  [
    'an evaluator script that is text',
    `${good}scripts:\n  evaluators:\n    - ▸./score.sh\n`,
    '`scripts.evaluators[0]` must be an object, not text',
  ],
  [
    'a time limit that is text',
    `${good}run: { timeout_secs: ▸"5" }\n`,
    '`run.timeout_secs` must be a number, not text',
    'Write it without quotes: 5.',
  ],
  ['half a turn', `${good}run: { max_turns: ▸1.5 }\n`, '`run.max_turns` must be a whole number, not 1.5'],
  ['a negative budget', `${good}cost: { max_usd: ▸-1 }\n`, '`cost.max_usd` must be at least 0'],
  ['a cache that is text', `${good}cost: { cache: ▸"no" }\n`, '`cost.cache` must be true or false, not text'],
  [
    'an unknown isolation',
    `${good}isolation: ▸bublewrap\n`,
    '`isolation` cannot be `bublewrap`',
    'Did you mean `bubblewrap`?',
  ],
  ['a tool without name', `${good}tool_matrix: [▸{ models: [a] }]\n`, '`tool_matrix[0].tool` is missing'],
  [
    'a matrix of nothing',
    `${good}tool_matrix: ▸[]\n`,
    '`tool_matrix` has no tools, so nothing would run',
    'Name a tool, or leave `tool_matrix` out.',
  ],
  [
    'a matrix beside agents',
    `${good}tool_matrix: [{ tool: a }]\nagents: ▸[b]\n`,
    '`tool_matrix` and `agents` cannot be used together',
  ],
  [
    'a model that a tool does not take',
    `${good}tool_matrix:\n  - { tool: picky, models: [gpt-4o, ▸gpt-4] }\n`,
    "Tool 'picky' does not support model 'gpt-4'",
    'Did you mean `gpt-4o`?',
  ],
  ['no agents', `${good}agents: ▸[]\n`, '`agents` must have at least 1 item'],
  ['an agent that is a number', `${good}agents: [a, ▸5]\n`, '`agents[1]` must be text, not a number', quoteHint('5')],
  ['models that are an object', `${good}models: ▸{}\n`, '`models` must be a list, not an object'],
  [
    'a server with a misspelt command',
    `${good}mcp_servers: { files: { ▸comand: npx } }\n`,
    'unknown key `comand`',
    'Did you mean `command`?',
  ],
  [
    'a server without address',
    `${good}mcp_servers: { web: { url: ▸"" } }\n`,
    '`mcp_servers.web.url` must not be empty',
  ],
  [
    'a login without an issuer',
    `${good}mcp_servers: { web: { url: "http://a", oauth: ▸{ clientId: a, clientSecretEnv: B } } }\n`,
    '`issuer` is missing: credentials are sent to no other authorization server',
  ],
  [
    'surfaces without servers',
    `${good}surfaces: ▸[search]\n`,
    '`surfaces` offers the tools of MCP servers, and the scenario has none',
    'Add `mcp_servers`.',
  ],
  [
    'an unknown surface',
    `${good}${servers}surfaces: [all, ▸serach]\n`,
    'unknown surface "serach"',
    'Did you mean `search`?',
  ],
  ['misspelt surfaces', `${good}${servers}▸surface: [all]\n`, 'unknown key `surface`', 'Did you mean `surfaces`?'],
  [
    'a subset with the name of a surface',
    `${good}${servers}subsets: { code: ▸[a/x] }\n`,
    '`code` is the name of a surface that every server has',
    'Give the subset another name.',
  ],
  [
    'a subset without the name of a server',
    `${good}${servers}subsets: { few: [b/x, ▸x] }\n`,
    '"x" names no tool of a server',
    'Write `server/tool`, with one of these servers: a, b.',
  ],
  ['guidance of nothing', `${good}guidance: ▸{}\n`, '`guidance` must name at least one file'],
  [
    'guidance that is nowhere',
    `${good}guidance:\n  v1: ▸nope.md\n`,
    'there is no file or folder `nope.md`',
    'Searched: `deep/nope.md`, `nope.md`, `fx/templates/nope.md`, `fx/nope.md`.',
  ],
  ['guidance twice', `${good}guidance: [file.txt, ▸file.txt]\n`, 'duplicate guidance `file.txt`'],
  [
    'guidance that is a number',
    `${good}guidance: { v1: ▸1 }\n`,
    '`guidance.v1` must be text, not a number',
    quoteHint('1'),
  ],
  [
    'a server that is text',
    `${good}mcp_servers: { files: ▸npx }\n`,
    '`mcp_servers.files` must be an object, not text',
    'Its keys: `command`, `args`, `env`.',
  ],
];

describe('the place of what is wrong in a scenario of llm-tool-test', () => {
  for (const [about, marked, message, hint] of [
    ...basics,
    ...mocks,
    ...toolNames,
    ...targets,
    ...gates,
    ...misspeltKeys,
    ...judges,
    ...others,
  ]) {
    it(about, async () => {
      const { text, place } = unmarked(marked);
      const folder = await temporaryFolder({ 'deep/file.yaml': text, 'deep/file.txt': 'x', 'folder/a': '' });
      const { problems } = await loadCliTools(folder, ['deep/file.yaml'], {
        fixturesFolders: [`${folder}/fx`],
        tools: { picky: { models: ['gpt-4o'] } },
      });
      const reported = `deep/file.yaml:${place}: ${message}${hint === undefined ? '' : `\n    ${hint}`}`;
      expect(problems.map(formatProblem)).toEqual([reported]);
    });
  }

  it('is in the rubric when the rubric is wrong', async () => {
    const { text, place } = unmarked('criteria:\n  - { id: a, weight: ▸heavy, description: x }\n');
    const folder = await temporaryFolder({ 'deep/file.yaml': judge('{ rubric: r.yaml }'), 'r.yaml': text });
    const { problems } = await loadCliTools(folder, ['deep/file.yaml']);
    expect(problems.map(formatProblem)).toEqual([`r.yaml:${place}: \`criteria[0].weight\` must be a number, not text`]);
  });

  it('reports the weights of a rubric in the words of the contract', async () => {
    const { text, place } = unmarked('criteria:\n  ▸- { id: a, weight: 0.5, description: x }\n');
    const folder = await temporaryFolder({ 'file.yaml': judge('{ rubric: r.yaml }'), 'r.yaml': text });
    const { problems } = await loadCliTools(folder, ['file.yaml']);
    expect(problems.map(formatProblem)).toEqual([`r.yaml:${place}: Rubric criterion weights must sum to 1.0, got 0.5`]);
  });

  it('is reported for everything at once', async () => {
    const folder = await temporaryFolder({
      'file.yaml': 'name: 5\ntarget: { binary: "" }\ntask: x\ngates:\n  - { type: nope }\n  - { type: file_exists }\n',
    });
    const { problems } = await loadCliTools(folder, ['file.yaml']);
    expect(problems.map(({ at, message }) => `${at.line}: ${message}`)).toEqual([
      '1: `name` must be text, not a number',
      '2: `target.binary` must not be empty',
      '5: `gates[0].type` cannot be `nope`',
      '6: `gates[1].path` is missing',
    ]);
  });
});
