import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** A mistake that people make, and what they are told. */
interface Mistake {
  /** Beside or instead of a project that passes. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly exit: number;
  /** In what is printed; a place where there is one. */
  readonly says: RegExp;
  /** What files cannot express. */
  readonly prepare?: (cwd: string) => Promise<unknown>;
}

const sum = `name: sum
call: { module: ./sum.mjs, export: sum }
input: { a: 1, b: 2 }
passCriteria:
  - result === 3
`;
const project = { 'sum.yaml': sum, 'sum.mjs': 'export const sum = ({ a, b }) => a + b;\n' };
const yaml = (from: string, to: string): Readonly<Record<string, string>> => ({ 'sum.yaml': sum.replace(from, to) });
const module = (text: string): Readonly<Record<string, string>> => ({ 'sum.mjs': text });
const config = (text: string): Readonly<Record<string, string>> => ({ 'assay.config.yaml': text });
const tool = `name: notes
target: { binary: ./bin/notes }
task: { prompt: Write a note. }
evaluation:
  gates:
    - { type: command_succeeds, command: notes list }
`;
const cliTool = {
  'sum.yaml': '',
  'notes.yaml': tool,
  'assay.config.yaml': 'scenarios: [notes.yaml]\nagent: scripted\nagents:\n  scripted: { script: agent.yaml }\n',
  'agent.yaml': 'steps:\n  - notes list\n',
  'bin/notes': '#!/bin/sh\necho one\n',
};
/** The same project with another text in its scenario. */
const cliWith = (from: string, to: string) => ({ ...cliTool, 'notes.yaml': tool.replace(from, to) });
const conversation = `name: desk
connector: bot
userMessages: [Hello]
evaluators: [{ type: contains, config: { text: hi } }]
`;
const bot = 'connectors:\n  bot: { type: module, config: { module: ./bot.mjs } }\n';
const desk = (from: string, to: string) => ({
  'sum.yaml': '',
  'desk.yaml': conversation.replace(from, to),
  'assay.config.yaml': bot.replace(from, to),
  'bot.mjs': 'export default () => "hi";\n',
});
const rows = (name: string, text: string) => ({ ...yaml('input: { a: 1, b: 2 }', `dataset: ${name}`), [name]: text });
const judged = (model: string) =>
  yaml('passCriteria:\n  - result === 3\n', `judge: { model: ${model}, successCriteria: [ok] }\n`);
const executable = (cwd: string) => chmod(join(cwd, 'bin/notes'), 0o755);

const mistakes: Readonly<Record<string, Mistake>> = {
  'a list that is not there': {
    args: ['list', 'things'],
    exit: 2,
    says: /no list, file or folder "things"[\s\S]*`scenarios`, `agents`/,
  },
  'a list with a typo': { args: ['list', 'agnets'], exit: 2, says: /"agnets"[\s\S]*Did you mean `agents`\?/ },
  'a run before all runs': { args: ['show', 'latest~3'], exit: 2, says: /Fewer than 4 runs are stored/ },
  'a run before all runs, to report': { args: ['report', 'latest~3'], exit: 2, says: /Fewer than 4 runs are stored/ },
  'a run before all runs, to see steps': { args: ['diff', 'latest~3', 'latest'], exit: 2, says: /Fewer than 4 runs/ },
  'a format as an option': { args: ['report', 'latest', '--html'], exit: 2, says: /Write `--format html`/ },
  'an arm with a typo': { args: ['run', '--arm', 'guidence=v1'], exit: 2, says: /Did you mean `guidance`\?/ },
  'a part with a typo': { args: ['run', '--only', 'tools'], exit: 2, says: /Did you mean `tool`\?/ },
  'a variant as an option': { args: ['run', '--guidance', 'v1'], exit: 2, says: /Here it is `--arm`/ },
  'a judge model without a provider': {
    files: judged('opnai/gpt-4o'),
    args: ['validate'],
    exit: 0,
    says: /no problems, 1 warning[\s\S]*warning: sum\.yaml:4:17: There is no provider "opnai"[\s\S]*Did you mean `openai`\?/,
  },
  'a tier by its name': {
    args: ['run', '--tier', 'quick'],
    exit: 2,
    says: /whole number from 0[\s\S]*--tier: only scenarios of this tier or below \(0 smoke, 1 quick/,
  },
  'a judge model of the config without a provider': {
    files: {
      ...yaml('passCriteria:\n  - result === 3\n', 'judge: { successCriteria: [ok] }\n'),
      ...config('judge: { model: gpt4x }\n'),
    },
    args: ['validate'],
    exit: 0,
    says: /warning: (?:sum|assay\.config)\.yaml:1:\d+: [\s\S]*gpt4x/,
  },
  'a server on a port that HTTP clients refuse': {
    args: ['mcp', 'check', 'http://127.0.0.1:6000/mcp'],
    exit: 3,
    says: /refuse its port, as browsers do; use another port/,
  },
  'a server whose script is not there': {
    args: ['mcp', 'check', '--', 'node', 'servr.mjs'],
    exit: 3,
    says: /Last lines of its stderr: Error: Cannot find module '[^']*servr\.mjs'\.?\n/,
  },
  'a key with a typo': {
    files: yaml('passCriteria', 'passCritera'),
    exit: 2,
    says: /sum\.yaml:4:1: .*passCritera[\s\S]*`passCriteria`/,
  },
  'a top-level key of another format': {
    files: yaml('name: sum', 'name: sum\nnmae: x'),
    exit: 2,
    says: /sum\.yaml:2:1: unknown key `nmae`/,
  },
  'a fault that a direct call cannot have': {
    files: yaml('input: { a', 'faults: [{ fault: stale }]\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:19: there is no `stale` of tools that are called directly/,
  },
  'a fault of a second call, where there is one': {
    files: yaml('input: { a', 'faults: [{ fault: error, call: 2 }]\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:32: `call` cannot be used at the border `call`: a trial calls its tool once/,
  },
  'an exit code of a function': {
    files: yaml('input: { a', 'faults: [{ fault: error, exitCode: 2 }]\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:36: `exitCode` cannot be used here/,
  },
  'a value of the wrong type': {
    files: yaml('input: { a', 'repeat: often\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:9: /,
  },
  'a module that is not there': {
    files: yaml('./sum.mjs', './sums.mjs'),
    exit: 2,
    says: /sum\.yaml:2:\d+: [\s\S]*sums\.mjs/,
  },
  'an export that is not there': { files: yaml('export: sum', 'export: total'), exit: 2, says: /total[\s\S]*sum/ },
  'no name': { files: yaml('name: sum\n', ''), exit: 2, says: /sum\.yaml:1:1: [\s\S]*name/ },
  'no call': { files: yaml('call: { module: ./sum.mjs, export: sum }\n', ''), exit: 2, says: /sum\.yaml:1:1: / },
  'a module with a syntax error': {
    files: module('export const sum = ({ a, b }) => {\n  return a +;\n};\n'),
    exit: 2,
    says: /sum\.mjs: Unexpected token ';' \(line 2, column 13\)/,
  },
  'a module that imports a missing package': {
    files: module("import 'not-a-package';\nexport const sum = () => 3;\n"),
    exit: 2,
    says: /not-a-package/,
  },
  'an empty file': {
    files: { 'sum.yaml': '' },
    args: ['run', 'sum.yaml'],
    exit: 2,
    says: /sum\.yaml:1:1: not a scenario/,
  },
  'an empty JSON file': {
    files: { 'a.json': '' },
    args: ['run', 'a.json'],
    exit: 2,
    says: /a\.json:1:1: the file is empty/,
  },
  'a folder without scenarios': {
    args: ['run', 'empty'],
    prepare: (cwd) => mkdir(join(cwd, 'empty')),
    exit: 2,
    says: /no scenarios in "empty"/,
  },
  'a store in a place where no folder can be made': {
    args: ['run', '--store', 'sqlite:sum.yaml/below/assay.db'],
    exit: 3,
    says: /Cannot open the store .*sum\.yaml\/below/,
  },
  '--failed after a run in which nothing could be judged': {
    files: yaml('call: { module: ./sum.mjs, export: sum }', 'call: { url: "http://127.0.0.1:9/" }'),
    prepare: (cwd) => assay(['run'], { cwd }),
    args: ['run', '--failed'],
    exit: 2,
    says: /No case of r-\S+ failed\.\n.*--retry-errors/,
  },
  'a folder of the config that is missing': {
    files: config('scenarios: [scenarois]\n'),
    exit: 2,
    says: /assay\.config\.yaml:1:\d+: [\s\S]*scenarois/,
  },
  'a byte order mark': { files: { 'sum.yaml': `\uFEFF${sum}` }, exit: 0, says: /1 passed/ },
  'line ends of Windows': { files: { 'sum.yaml': sum.replaceAll('\n', '\r\n') }, exit: 0, says: /1 passed/ },
  'tabs in YAML': { files: yaml('  - result', '\t- result'), exit: 2, says: /sum\.yaml:5:1: [\s\S]*tab/i },
  'two scenarios of one name': { files: { 'b.yaml': sum }, exit: 2, says: /b\.yaml|sum\.yaml/ },
  'two cases of one name': {
    files: yaml(
      'input: { a: 1, b: 2 }',
      'cases: [{ name: x, input: { a: 1, b: 2 } }, { name: x, input: { a: 2, b: 1 } }]',
    ),
    exit: 2,
    says: /sum\.yaml:3:\d+: [\s\S]*x/,
  },
  'a key twice': {
    files: yaml('name: sum', 'name: sum\nname: other'),
    exit: 2,
    says: /sum\.yaml:2:1: duplicate key `name`/,
  },
  'a name with direction marks': { files: yaml('name: sum', 'name: "sum \u202Eevil"'), exit: 0, says: /1 passed/ },
  'a loop of links': { prepare: (cwd) => symlink(cwd, join(cwd, 'loop')), exit: 0, says: /1 passed/ },
  'a link to nothing': {
    prepare: (cwd) => symlink('nowhere.yaml', join(cwd, 'gone.yaml')),
    args: ['run', 'gone.yaml'],
    exit: 2,
    says: /gone\.yaml:1:1: the symbolic link leads to nothing\n +Correct its target/,
  },
  'a config key with a typo': {
    files: config('scenarois: [.]\n'),
    exit: 2,
    says: /assay\.config\.yaml:1:1: unknown key `scenarois`[\s\S]*`scenarios`/,
  },
  'a config value of the wrong type': {
    files: config('concurrency: many\n'),
    exit: 2,
    says: /assay\.config\.yaml:1:14: /,
  },
  'two configs': {
    files: { 'assay.config.yaml': 'concurrency: 2\n', 'assay.config.json': '{}' },
    exit: 2,
    says: /assay\.config\.(json|yaml)[\s\S]*assay\.config\.(json|yaml)/,
  },
  'an unknown flag': { args: ['run', '--repaet', '3'], exit: 2, says: /--repaet[\s\S]*--repeat/ },
  'an unknown command': { args: ['rnu'], exit: 2, says: /Unknown command "rnu"[\s\S]*run/ },
  'a flag whose value is not a number': {
    args: ['run', '--repeat', 'x'],
    exit: 2,
    says: /--repeat[\s\S]*whole number/,
  },
  'an unknown scenario': { args: ['run', '--scenario', 'smu'], exit: 2, says: /smu[\s\S]*sum/ },
  'an unknown reporter': { args: ['run', '--reporter', 'junti'], exit: 2, says: /junti[\s\S]*junit/ },
  'an unknown tag': {
    args: ['run', '--tags', 'smoek'],
    files: yaml('name: sum', 'name: sum\ntags: [smoke]'),
    exit: 2,
    says: /smoek[\s\S]*smoke/,
  },
  'an unknown run': { args: ['show', 'r-nope'], exit: 2, says: /r-nope/ },
  'nothing stored to show': { args: ['show'], exit: 2, says: /No runs are stored yet[\s\S]*assay run/ },
  'an unknown agent': {
    files: cliTool,
    args: ['run', '--agent', 'claud-code'],
    prepare: executable,
    exit: 2,
    says: /claud-code[\s\S]*claude-code/,
  },
  'no HOME': { env: { HOME: '' }, exit: 0, says: /1 passed/ },
  'a store that is not a database': {
    files: { 'a.db': 'this is text and not a database at all, whatever its name says' },
    args: ['run', '--store', 'sqlite:a.db'],
    exit: 3,
    says: /a\.db/,
  },
  'an unknown store': { args: ['run', '--store', 'mysql://localhost/x'], exit: 2, says: /mysql/ },
  'a Postgres that is down': {
    args: ['run', '--store', 'postgres://me:s3cretword@127.0.0.1:1/x'],
    exit: 3,
    says: /^(?![\s\S]*s3cretword)[\s\S]*127\.0\.0\.1/,
  },
  'an output folder that is a file': {
    args: ['run', '--reporter', 'html', '-o', 'sum.mjs'],
    exit: 3,
    says: /could not be written/,
  },
  'a path that is not there': { args: ['run', 'smu.yaml'], exit: 2, says: /smu\.yaml[\s\S]*sum\.yaml/ },
  'wrong indentation': {
    files: yaml('passCriteria:\n', 'passCriteria:\n - a\n'),
    exit: 2,
    says: /sum\.yaml:\d+:\d+: /,
  },
  'a colon in a value': { files: yaml('name: sum', 'name: sum: of two'), exit: 2, says: /sum\.yaml:1:\d+: / },
  'a trailing comma in JSON': {
    files: {
      'sum.yaml': '',
      'sum.json':
        '{ "name": "sum", "call": { "module": "./sum.mjs", "export": "sum" }, "input": { "a": 1, "b": 2, }, "passCriteria": ["result === 3"], }',
    },
    args: ['run', 'sum.json'],
    exit: 0,
    says: /1 passed/,
  },
  'bytes that are not UTF-8': {
    prepare: (cwd) => writeFile(join(cwd, 'sum.yaml'), Buffer.from('name: s\xFFm\n', 'latin1')),
    exit: 2,
    says: /sum\.yaml:1:\d+: /,
  },
  'UTF-16': {
    prepare: (cwd) => writeFile(join(cwd, 'sum.yaml'), Buffer.from(`\uFEFF${sum}`, 'utf16le')),
    exit: 2,
    says: /sum\.yaml:1:1: [\s\S]*UTF-(8|16)/,
  },
  'a variable that is not set': {
    files: config('output: "${NOT_SET_ANYWHERE}/reports"\n'),
    exit: 2,
    says: /assay\.config\.yaml:1:9: the environment variable `NOT_SET_ANYWHERE` is not set/,
  },
  'a URL that nobody answers': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ url: "http://127.0.0.1:1/" }'),
    exit: 3,
    says: /127\.0\.0\.1:1/,
  },
  'a URL without a scheme': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ url: "localhost:3000" }'),
    exit: 2,
    says: /sum\.yaml:2:\d+: [\s\S]*http/,
  },
  'a criterion that is not true or false': { files: yaml('result === 3', 'result + 1'), exit: 2, says: /result \+ 1/ },
  'an assignment as a criterion': { files: yaml('result === 3', 'result = 3'), exit: 2, says: /sum\.yaml:5:\d+: / },
  'a negation that YAML reads as a tag': {
    files: yaml('result === 3', '!result.error'),
    exit: 2,
    says: /sum\.yaml:5:5: [\s\S]*quotes: - "!result\.error"/,
  },
  'a program that is not there': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ command: ./nope.sh }'),
    exit: 2,
    says: /nope\.sh/,
  },
  'a program that prints no JSON': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ command: "echo hello" }'),
    exit: 3,
    says: /JSON/,
  },
  'a tool that ends the process': {
    files: module('export const sum = () => process.exit(0);\n'),
    exit: 3,
    says: /it ended the process with code 0/,
  },
  'a tool that never ends': {
    files: {
      ...module('export const sum = () => { for (;;); };\n'),
      ...yaml('name: sum', 'name: sum\ntimeoutSecs: 0.5'),
    },
    exit: 3,
    says: /time|0\.5/i,
  },
  'init over files that exist': {
    args: ['init', '--kind', 'function'],
    files: { 'assay.config.yaml': '' },
    exit: 2,
    says: /exists|nothing was written|kind/,
  },
  'a script of an agent that is missing': {
    files: { ...cliTool, 'assay.config.yaml': cliTool['assay.config.yaml'].replace('agent.yaml', 'missing.yaml') },
    prepare: executable,
    exit: 2,
    says: /missing\.yaml/,
  },
  'a program under test that is not executable': {
    files: cliTool,
    exit: 2,
    says: /bin\/notes[\s\S]*(executable|chmod)/,
  },
  'a program under test that is missing': {
    files: cliTool,
    prepare: (cwd) => rm(join(cwd, 'bin/notes')),
    exit: 2,
    says: /bin\/notes/,
  },
  'a bad pattern in a gate': {
    files: {
      ...cliTool,
      'notes.yaml': tool.replace(
        '{ type: command_succeeds, command: notes list }',
        "{ type: command_output_matches, command: notes list, pattern: '([' }",
      ),
    },
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:6:\d+: .*pattern/,
  },
  'two problems in the script of an agent': {
    files: { ...cliTool, 'agent.yaml': 'stpes: []\nwhen: 3\n' },
    prepare: executable,
    exit: 2,
    says: /agent\.yaml:1:1: [\s\S]*agent\.yaml:2:1: |stpes/,
  },
  'a suite of an MCP server in the singular': {
    files: { 'sum.yaml': '', 'a.yaml': 'server: { command: node }\ntoolHealthSuite: []\n' },
    args: ['run', 'a.yaml'],
    exit: 2,
    says: /a\.yaml:2:1: [\s\S]*toolHealthSuites/,
  },
  'functions of CommonJS': {
    files: {
      ...yaml('sum.mjs', 'sum.cjs'),
      'sum.cjs': 'const sum = ({ a, b }) => a + b;\nmodule.exports = { sum };\n',
    },
    exit: 0,
    says: /1 passed/,
  },
  'a config that is imported as results': {
    files: config('concurrency: 2\n'),
    args: ['import', 'assay.config.yaml'],
    exit: 2,
    says: /assay\.config\.yaml/,
  },
  'a connector that is not there': {
    files: desk('connector: bot', 'connector: bto'),
    exit: 2,
    says: /desk\.yaml:2:12: .*"bto"\n.*`bot`/,
  },
  'an unknown type of connector': {
    files: desk('type: module', 'type: modul'),
    exit: 2,
    says: /desk\.yaml:2:12: .*"modul"\n.*Did you mean/,
  },
  'a connector without an address': {
    files: desk('{ type: module, config: { module: ./bot.mjs } }', '{ type: http }'),
    exit: 2,
    says: /The http connector has no base URL[\s\S]*`baseUrl`/,
  },
  'a connector without a key': {
    files: desk(
      '{ type: module, config: { module: ./bot.mjs } }',
      '{ type: openai-chat, config: { model: gpt-4o-mini } }',
    ),
    env: { OPENAI_API_KEY: '' },
    exit: 2,
    says: /openai-chat connector needs OPENAI_API_KEY/,
  },
  'a key of a connector beside its config': {
    files: desk('config: { module: ./bot.mjs }', 'module: ./bot.mjs'),
    exit: 2,
    says: /assay\.config\.yaml:2:24: unknown key `module`\n.*`config`/,
  },
  'a connector whose file is missing': {
    files: desk('./bot.mjs', './bto.mjs'),
    exit: 2,
    says: /desk\.yaml:2:12: .*bto\.mjs/,
  },
  'an unknown evaluator': {
    files: desk('contains', 'contians'),
    exit: 2,
    says: /desk\.yaml:4:22: .*"contians"\n.*`contains`/,
  },
  'a key of an evaluator with a typo': {
    files: desk('text: hi', 'txt: hi'),
    exit: 2,
    says: /desk\.yaml:4:42: unknown key `txt`\n.*`text`/,
  },
  'a conversation in which nobody speaks': {
    files: desk('userMessages: [Hello]\n', ''),
    exit: 3,
    says: /The simulated user has no model[\s\S]*`userMessages`/,
  },
  'an unknown persona': {
    files: desk('userMessages: [Hello]', 'personas: [Ann]'),
    exit: 2,
    says: /desk\.yaml:3:12: .*"Ann"\n.*`personas`/,
  },
  'a judge without a model': {
    files: desk('evaluators: [{ type: contains, config: { text: hi } }]', 'judge: { successCriteria: [polite] }'),
    env: { LLM_TOOL_TEST_JUDGE: '' },
    exit: 3,
    says: /No judge model is configured[\s\S]*--judge-model/,
  },
  'a judge without a key': {
    files: judged('openai/gpt-4o'),
    env: { OPENAI_API_KEY: '' },
    exit: 3,
    says: /no API key[\s\S]*OPENAI_API_KEY/,
  },
  'a judge of an unknown provider': {
    files: judged('opnai/gpt-4o'),
    exit: 2,
    says: /no provider "opnai"[\s\S]*`openai`/,
  },
  'a tool whose calls are not reported': {
    files: desk('contains, config: { text: hi }', 'tool-called, config: { tool: book-table }'),
    exit: 3,
    says: /does not report tool calls[\s\S]*`reports: \[tool-calls\]`/,
  },
  'a dataset that is missing': {
    files: yaml('input: { a: 1, b: 2 }', 'dataset: rows.csv'),
    exit: 2,
    says: /sum\.yaml:3:10: rows\.csv/,
  },
  'a dataset without rows': {
    files: rows('rows.csv', 'a,b\n'),
    exit: 2,
    says: /rows\.csv:\d:1: the dataset has no rows/,
  },
  'a quote that is not closed': {
    files: rows('rows.csv', 'a,b\n1,"2\n'),
    exit: 2,
    says: /rows\.csv:2:3: the quote is not closed/,
  },
  'a row that is not JSON': {
    files: rows('rows.jsonl', '{"input":{"a":1,"b":2}}\n{bad\n'),
    exit: 2,
    says: /rows\.jsonl:2:2: `bad` is not valid JSON/,
  },
  'a criterion with a name that is not there': {
    files: yaml('result === 3', 'reslt === 3'),
    exit: 2,
    says: /sum\.yaml:5:5: .*`reslt`[\s\S]*`result`/,
  },
  'a criterion with a method that is not there': {
    files: yaml('result === 3', 'result.includez(3)'),
    exit: 2,
    says: /sum\.yaml:5:12: .*`includez`[\s\S]*`includes`/,
  },
  'a bracket that is not closed': {
    files: yaml('result === 3', '(result === 3'),
    exit: 2,
    says: /sum\.yaml:5:18: .*ends too early/,
  },
  'an empty criterion': { files: yaml('- result === 3', '- ""'), exit: 2, says: /sum\.yaml:5:6: .*empty/ },
  'no criteria': {
    files: yaml('passCriteria:\n  - result === 3\n', ''),
    exit: 2,
    says: /no criteria and no evaluators\n.*`passCriteria`/,
  },
  'a case with a text as its list': {
    files: yaml('input: { a: 1, b: 2 }', 'cases: rows.csv'),
    exit: 2,
    says: /sum\.yaml:3:8: `cases` must be a list/,
  },
  'a time limit with a unit': {
    files: yaml('name: sum', 'name: sum\ntimeoutSecs: 5m'),
    exit: 2,
    says: /sum\.yaml:2:14: `timeoutSecs` must be a number/,
  },
  'no repeats': { args: ['run', '--repeat', '0'], exit: 2, says: /--repeat[\s\S]*from 1 to 10,000/ },
  'a flag without its value': { args: ['run', '--repeat'], exit: 2, says: /--repeat <n>' argument missing/ },
  'a baseline that was never set': {
    args: ['run', '--baseline', 'default'],
    exit: 2,
    says: /"default"[\s\S]*assay baseline set/,
  },
  'failed cases before the first run': {
    args: ['run', '--failed'],
    exit: 2,
    says: /No runs are stored yet[\s\S]*assay run/,
  },
  'reports into a folder without a reporter': {
    args: ['run', '-o', 'reports'],
    exit: 0,
    says: /nothing was written to --output[\s\S]*--reporter/,
  },
  'a comparison without two runs': {
    args: ['compare'],
    exit: 2,
    says: /Fewer than 2 runs are stored[\s\S]*`assay run`/,
  },
  'a comparison by a part that is not there': {
    args: ['compare', 'latest', '--by', 'gudiance'],
    exit: 2,
    says: /gudiance[\s\S]*guidance/,
  },
  'an import of a missing file': { args: ['import', 'nope.json'], exit: 2, says: /nope\.json:1:1: .*does not exist/ },
  'an unknown format of imports': {
    args: ['import', 'sum.mjs', '--format', 'langfus'],
    exit: 2,
    says: /"langfus"[\s\S]*`langfuse`/,
  },
  'an agent with a typo, where no scenario has an agent': {
    args: ['run', '--agent', 'claude-cod'],
    exit: 2,
    says: /There is no agent "claude-cod"[\s\S]*`claude-code`/,
  },
  'recordings that are not there, where no model is called': {
    args: ['run', '--replay', 'nope'],
    exit: 2,
    says: /There are no recordings in nope\.[\s\S]*--record/,
  },
  'a connector that is not there, where no scenario is a conversation': {
    args: ['run', '--connector', 'htpp'],
    exit: 2,
    says: /There is no connector "htpp"[\s\S]*`http`/,
  },
  'a profile that is not there': {
    args: ['run', '--profile', 'x'],
    exit: 2,
    says: /no profile "x"[\s\S]*names no profile/,
  },
  'a recording in place of a file': {
    args: ['run', '--record-tools', 'sum.mjs/tools'],
    exit: 2,
    says: /sum\.mjs\/tools is not a folder/,
  },
  'validate without scenarios': {
    files: { 'sum.yaml': '', 'sum.mjs': '' },
    args: ['validate'],
    exit: 2,
    says: /There are no scenarios in this folder\.[\s\S]*`assay init`/,
  },
  'a script of an agent with a typo': {
    files: { ...cliTool, 'agent.yaml': 'steps:\n  - rum: notes list\n' },
    args: ['validate'],
    prepare: executable,
    exit: 2,
    says: /agent\.yaml:2:5: unknown key `rum`[\s\S]*`run`/,
  },
  'init with an unknown kind': { args: ['init', 'x', '--kind', 'mcp'], exit: 2, says: /"mcp"[\s\S]*`mcp-server`/ },
  'init in place of a file': {
    args: ['init', 'sum.mjs', '--kind', 'tool'],
    exit: 2,
    says: /sum\.mjs is a file; nothing was written/,
  },
  'an unknown command of a family': {
    args: ['mcp', 'chekc'],
    exit: 2,
    says: /Unknown command "mcp chekc"[\s\S]*`check`/,
  },
  'a check of no server': {
    args: ['mcp', 'check'],
    exit: 2,
    says: /No server was given[\s\S]*command line after `--`/,
  },
  'a check of a program that is not there': {
    args: ['mcp', 'check', '--', 'nodde', 'server.mjs'],
    exit: 3,
    says: /"nodde server\.mjs"[\s\S]*no such program/,
  },
  'a port that is too large': { args: ['serve', '--port', '99999'], exit: 2, says: /99999[\s\S]*0 to 65535/ },
  'an unknown schema': { args: ['schema', 'scenaroi'], exit: 2, says: /"scenaroi"[\s\S]*`scenario`/ },
  'workers without Postgres': {
    args: ['queue', 'worker', '--store', 'sqlite:assay.db'],
    exit: 2,
    says: /Several machines need a Postgres store/,
  },
  'an experiment about nothing': { args: ['experiment', 'sum.yaml'], exit: 2, says: /needs --by[\s\S]*guidance/ },
  'an attack on a function': { args: ['attack', 'sum.yaml'], exit: 2, says: /no agent whose tools Assay could attack/ },
  'an unknown gate': {
    files: cliWith('command_succeeds', 'comand_succeeds'),
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:6:15: [\s\S]*`command_succeeds`/,
  },
  'a gate without its command': {
    files: cliWith(', command: notes list', ''),
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:6:7: .*command` is missing/,
  },
  'a gate whose program is not there': {
    files: cliWith('notes list', 'ntoes list'),
    prepare: executable,
    exit: 3,
    says: /GRADER_FAILED[\s\S]*Correct the command/,
  },
  'a template that is not there': {
    files: cliWith('evaluation:', 'template_folder: ./nope\nevaluation:'),
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:4:18: .*`\.\/nope`/,
  },
  'guidance that is not there': {
    files: cliWith('evaluation:', 'guidance: { a: ./nope.md }\nevaluation:'),
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:4:16: .*nope\.md/,
  },
  'an empty prompt': {
    files: cliWith('Write a note.', '""'),
    prepare: executable,
    exit: 2,
    says: /notes\.yaml:3:17: .*must not be empty/,
  },
  'a config that is a list': { files: config('- a\n'), exit: 2, says: /assay\.config\.yaml:1:1: .*must be an object/ },
  'a config in TypeScript with a syntax error': {
    files: { 'assay.config.ts': 'export default {' },
    exit: 2,
    says: /assay\.config\.ts:1:17: /,
  },
  'an anchor that is not there': {
    files: yaml('name: sum', 'name: *x'),
    exit: 2,
    says: /sum\.yaml:1:7: unknown anchor/,
  },
  'a tool that throws': {
    files: module('export const sum = () => { throw new Error("boom"); };\n'),
    exit: 1,
    says: /failed with Error: boom/,
  },
  'a tool that returns nothing': {
    files: module('export const sum = () => undefined;\n'),
    exit: 1,
    says: /result is undefined, not 3/,
  },
  'scenarios of another project': {
    files: {
      'sum.yaml': '',
      'other/assay.config.yaml': 'timeoutSecs: 5\n',
      'other/sum.yaml': sum.replace('./sum', '../sum'),
    },
    args: ['run', 'other'],
    exit: 0,
    says: /warning: other\/assay\.config\.yaml:1:1: .*not used[\s\S]*cd other/,
  },
  'an address of another protocol': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ url: "ftp://x/" }'),
    exit: 2,
    says: /sum\.yaml:2:14: .*http/,
  },
  'a file of cases under `cases`': {
    files: { ...yaml('input: { a: 1, b: 2 }', 'cases: rows.csv'), 'rows.csv': 'a,b\n1,2\n' },
    exit: 2,
    says: /sum\.yaml:3:8: `cases` must be a list[\s\S]*`dataset: rows\.csv`/,
  },
  'a template in a criterion': {
    files: yaml('result === 3', 'result === {{expected}}'),
    exit: 2,
    says: /sum\.yaml:5:17: [\s\S]*write `expected`: a criterion is code, without braces/,
  },
  'a template of an input in a criterion': {
    files: yaml('result === 3', 'result === {{a}} + 2'),
    exit: 2,
    says: /sum\.yaml:5:17: [\s\S]*write `input\.a`/,
  },
  'a server without a command': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ server: { args: [x] }, tool: add }'),
    exit: 2,
    says: /sum\.yaml:2:17: [\s\S]*Add `command` of a program, or `url` of a server/,
  },
  'criteria that are one text': {
    files: yaml('passCriteria:\n  - result === 3', 'passCriteria: result === 3'),
    exit: 2,
    says: /sum\.yaml:4:15: [\s\S]*Write a list: `passCriteria: \[ … \]`/,
  },
  'the result under the name of another program': {
    files: yaml('result === 3', 'output === 3'),
    exit: 2,
    says: /sum\.yaml:5:5: .*`output` is not defined[\s\S]*the answer is `result`/,
  },
  'assertions of another program': {
    files: yaml('passCriteria:\n  - result === 3', 'assert:\n  - { type: equals, value: 3 }'),
    exit: 2,
    says: /sum\.yaml:4:1: unknown key `assert`[\s\S]*Here it is `passCriteria` or `evaluators`/,
  },
  'tests of another program': {
    files: yaml('input: { a', 'tests: []\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:1: unknown key `tests`[\s\S]*Here it is `cases`/,
  },
  'a time limit under another name': {
    files: yaml('input: { a', 'timeout: 5\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:1: unknown key `timeout`[\s\S]*`timeoutSecs`/,
  },
  'a time limit in seconds with their unit': {
    files: yaml('input: { a', 'timeoutSecs: 5s\ninput: { a'),
    exit: 2,
    says: /sum\.yaml:3:14: [\s\S]*without a unit: 5/,
  },
  'the value of an evaluator outside of its config': {
    files: yaml('passCriteria:\n  - result === 3', 'evaluators:\n  - { type: equals, value: 3 }'),
    exit: 2,
    says: /sum\.yaml:5:21: unknown key `value`[\s\S]*`config`/,
  },
  'an export under another name': {
    files: yaml('export: sum', 'function: sum'),
    exit: 2,
    says: /sum\.yaml:2:28: unknown key `function`[\s\S]*`export`/,
  },
  'an evaluator with a typo': {
    files: yaml('passCriteria:\n  - result === 3', 'evaluators:\n  - { type: contain, config: { text: 3 } }'),
    exit: 2,
    says: /sum\.yaml:5:13: [\s\S]*`contains`/,
  },
  'a comma too many in JSON, the only file': {
    files: { 'sum.yaml': '', 'sum.json': '{"name": "x",}' },
    exit: 2,
    says: /There are no scenarios[\s\S]*did not look like a scenario: `assay validate sum\.(?:json|yaml)`/,
  },
  'words for `and`': {
    files: yaml('result === 3', 'result > 1 and result < 5'),
    exit: 2,
    says: /sum\.yaml:5:16: [\s\S]*join conditions with `&&`/,
  },
  'an assignment': {
    files: yaml('result === 3', 'result = 3'),
    exit: 2,
    says: /sum\.yaml:5:5: [\s\S]*compare with `===`/,
  },
  'the extension of a file': { args: ['run', 'sum.yml'], exit: 2, says: /Did you mean `sum\.yaml`/ },
  'a tool in place of a scenario': {
    args: ['run', 'sum.mjs'],
    exit: 2,
    says: /sum\.mjs:1:1: [\s\S]*defineScenario/,
  },
  'a share in per cent': { args: ['run', '--min-pass-rate', '80'], exit: 2, says: /from 0 to 1/ },
  'a store of another kind': { args: ['run', '--store', 'mysql://x/y'], exit: 2, says: /Unknown store[\s\S]*sqlite:/ },
  'an agent that nothing runs': {
    args: ['run', '--agent', 'claude-code'],
    exit: 0,
    says: /sum\.yaml:1:1: --agent has no effect: no scenario of this run uses an agent\n +Leave it out/,
  },
  'a model and a connector that nothing runs': {
    files: { 'assay.config.yaml': 'connectors: { bot: { type: echo } }\n' },
    args: ['run', '--model', 'openai/gpt-4o', '--connector', 'bot'],
    exit: 0,
    says: /--model has no effect[\s\S]*--connector has no effect/,
  },
  'a model for judges, where nothing is judged': {
    args: ['run', '--judge-model', 'openai/gpt-4o', '--judge-always'],
    exit: 0,
    says: /sum\.yaml:1:1: --judge-model has no effect: no scenario of this run uses a judge\n +Leave it out[\s\S]*--judge-always has no effect/,
  },
  'an expected answer that the tool receives': {
    files: {
      ...rows('rows.csv', 'a,b,sum\n1,2,3\n'),
      'sum.yaml': sum
        .replace('input: { a: 1, b: 2 }', 'dataset: { path: rows.csv, types: { a: number, b: number, sum: number } }')
        .replace('=== 3', '=== input.sum'),
    },
    args: ['validate'],
    exit: 0,
    says: /rows\.csv:1:5: `sum` is sent to the tool as part of its input, and the answer is compared with it\n +Call the column `expected` if it is the expected answer/,
  },
  'a rule without traces': {
    files: config('rules: { lookups: { evaluators: [{ type: no-failed-calls }], drift: {} } }\n'),
    args: ['queue', 'watch', '--rules', '--once'],
    exit: 3,
    says: /! lookups: the reference is not complete yet\n +pass-rate: not enough data \(0 in the reference/,
  },
  'a file in `scenarios` whose keys are misspelt': {
    files: {
      'assay.config.yaml': 'scenarios: [scenarios, sum.yaml]\n',
      'scenarios/mcp.json': '{\n  "sever": { "command": "node" },\n  "toolHealthSuite": []\n}\n',
    },
    exit: 2,
    says: /scenarios\/mcp\.json:2:3: not a scenario of any format: unknown key `sever`\n +Did you mean `server`\? Otherwise exclude it/,
  },
  'rows in `scenarios` that no scenario refers to': {
    files: { 'assay.config.yaml': 'scenarios: [scenarios, sum.yaml]\n', 'scenarios/rows.json': '[{ "input": 1 }]' },
    exit: 2,
    says: /scenarios\/rows\.json:1:1: not a scenario[^\n]*no scenario refers to it\n +Add `call`/,
  },
  'a field with a typo in a criterion': {
    files: {
      ...module('export const sum = ({ a, b }) => ({ total: a + b, parts: [a, b] });'),
      ...yaml('result === 3', 'result.totl === 3'),
    },
    exit: 1,
    says: /result\.totl is undefined, not 3; did you mean result\.total\?/,
  },
  'a module with a typo': {
    files: yaml('./sum.mjs', './sun.mjs'),
    exit: 2,
    says: /sum\.yaml:2:17: there is no file \.\/sun\.mjs\n +Did you mean `\.\/sum\.mjs`\?/,
  },
  'a module of an agent with a typo': {
    files: desk('./bot.mjs', './bott.mjs'),
    exit: 2,
    says: /there is no file \.\/bott\.mjs[\s\S]*Did you mean `\.\/bot\.mjs`\?/,
  },
  'an agent that answers with JSON of another shape': {
    files: { ...desk('./bot.mjs', './bot.mjs'), 'bot.mjs': 'export default () => ({ status: "ok" });' },
    exit: 3,
    says: /returned no message: "\{"status":"ok"\}"[\s\S]*TARGET_NO_MESSAGE, source: tool/,
  },
  'a server that does not start, with several tests': {
    files: {
      'sum.yaml': '',
      'server.yaml':
        'server: { command: node, args: [gone.mjs] }\ntoolHealthSuites:\n  - { name: Sums, tests: [{ name: add, args: {} }, { name: sub, args: {} }] }\n',
    },
    exit: 3,
    says: /MCP_SERVER_NOT_STARTED[\s\S]*Could not be judged[\s\S]*the same reason as above/,
  },
  'a program under test that is not there, under two versions of AGENTS.md': {
    files: {
      ...cliWith('./bin/notes', './bin/nots'),
      'notes.yaml': `${tool.replace('./bin/notes', './bin/nots')}guidance: { one: one.md, two: two.md }\n`,
      'one.md': 'One.',
      'two.md': 'Two.',
    },
    exit: 2,
    says: /There is no program `\.\/bin\/nots` in the work directory, [\s\S]*and 1 more trial with the same error/,
  },
  'a run to finish whose files were changed': {
    files: module('export const sum = () => new Promise(() => setInterval(() => {}, 1000));'),
    prepare: async (cwd) => {
      await assay(['run', '--timeout-secs', '0.2'], { cwd });
      await writeFile(join(cwd, 'sum.mjs'), 'export const sum = ({ a, b }) => a + b;');
    },
    args: ['run', '--retry-errors'],
    exit: 2,
    says: /sum\.mjs was changed\.\n +Start another run with `assay run`/,
  },
  'a message that YAML splits at its comma': {
    files: desk('[Hello]', '[Hello, A table for two on Friday, please.]'),
    args: ['validate'],
    exit: 0,
    says: /desk\.yaml:3:50: "please\." is the 3\. message: YAML splits[^\n]*\n +Write \["A table for two on Friday, please\."\] if it is one sentence/,
  },
  'the beginning of the name of an agent': {
    args: ['run', '--agent', 'claude'],
    exit: 2,
    says: /no agent "claude"\.\n {2}Did you mean `claude-code`\?/,
  },
  'a file that is called differently': {
    args: ['run', 'calculations.yaml'],
    exit: 2,
    says: /calculations\.yaml:1:1: the file or folder does not exist\n.*current folder\. It has `sum\.yaml`\./,
  },
  'a command that does not exist': { args: ['frobnicate'], exit: 2, says: /List the commands with `assay --help`/ },
  'a store as a bare path': { args: ['run', '--store', 'x.db'], exit: 2, says: /Unknown store[\s\S]*`sqlite:x\.db`/ },
  'a server that is not installed': {
    args: ['mcp', 'check', '--', 'nosuchserver'],
    exit: 3,
    says: /"nosuchserver" could not be started: there is no such program\.\n {2}Install the program or correct its command/,
  },
  'a check of promptfoo that is not met': {
    files: {
      'sum.yaml': '',
      'promptfooconfig.yaml':
        'prompts: [Hi]\nproviders: [echo]\ntests: [{ assert: [{ type: javascript, value: output === 1 }] }]\n',
    },
    exit: 1,
    says: /`output === 1` returned false/,
  },
  'a command with a typo': { args: ['rnu'], exit: 2, says: /Did you mean `run`/ },
  'a kind of starter': { args: ['init', 'x', '--kind', 'mcp'], exit: 2, says: /mcp-server/ },
  'a provider of another program': {
    files: {
      'sum.yaml': '',
      'promptfooconfig.yaml':
        'prompts: [x]\nproviders: [coher:x]\ntests: [{ assert: [{ type: contains, value: a }] }]\n',
    },
    exit: 2,
    says: /promptfooconfig\.yaml:2:13: the provider "coher:x" has no equal/,
  },
  'one dash before the name of an option': {
    args: ['run', '-repeat', '3'],
    exit: 2,
    says: /Unknown option "-repeat"[\s\S]*two dashes: `--repeat`/,
  },
  'the beginning of an option': {
    args: ['run', '--timeout', '30'],
    exit: 2,
    says: /--timeout'[\s\S]*`--timeout-secs`/,
  },
  'an option of another program': { args: ['run', '--provider', 'openai'], exit: 2, says: /Here it is `--model`/ },
  'an option of another command': { args: ['run', '--format', 'html'], exit: 2, says: /Here it is `--reporter`/ },
  'a config as an option': { args: ['run', '--config', 'a.yaml'], exit: 2, says: /--config[\s\S]*current folder/ },
  'scoring again without a run': { args: ['score', 'run'], exit: 2, says: /'run'[\s\S]*`latest`/ },
  'an amount with its currency': { args: ['run', '--max-usd', '$5'], exit: 2, says: /'\$5' is invalid.*number from 0/ },
  'two paths, one of them wrong': {
    args: ['run', 'sum.yaml', 'smu.yaml'],
    exit: 2,
    says: /smu\.yaml:1:1: .*does not exist\n +Did you mean `sum\.yaml`/,
  },
  'a run under a word for the one before': {
    prepare: (cwd) => assay(['run'], { cwd }),
    args: ['compare', 'latest', 'previous'],
    exit: 2,
    says: /"previous"[\s\S]*`latest~1` is the run before the latest/,
  },
  'a report into a folder that is a file': {
    prepare: (cwd) => assay(['run'], { cwd }),
    args: ['report', 'latest', '-o', 'sum.mjs/x'],
    exit: 3,
    says: /ENOTDIR[\s\S]*a part of this path is a file/,
  },
  'a model with a colon': {
    files: judged('openai:gpt-4o'),
    exit: 2,
    says: /"openai:gpt-4o"[\s\S]*`openai\/gpt-4o`/,
  },
  "a model of a server of one's own": {
    files: judged('ollama/llama3'),
    exit: 2,
    says: /no provider "ollama"[\s\S]*`models\.providers\.ollama\.baseUrl`/,
  },
  'the address of a model without its scheme': {
    files: judged('openai/gpt-4o'),
    env: { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: 'localhost:8080/v1' },
    exit: 3,
    says: /base URL "localhost:8080\/v1" is not an http or https URL/,
  },
  'a model as a number': { files: judged('4'), exit: 2, says: /sum\.yaml:4:17: .*not a number\n +Put it in quotes/ },
  'arguments beside a command': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ command: node, args: [tool.mjs] }'),
    exit: 2,
    says: /unknown key `args`[\s\S]*`command: node tool\.mjs --flag`/,
  },
  'a call that is only a path': {
    files: yaml('{ module: ./sum.mjs, export: sum }', './sum.mjs'),
    exit: 2,
    says: /sum\.yaml:2:7: [\s\S]*`call: \{ module: "\.\/sum\.mjs" \}`/,
  },
  'a module in Python': {
    files: { ...yaml('./sum.mjs', './sum.py'), 'sum.py': 'def sum(): pass\n' },
    exit: 2,
    says: /sum\.py: Unknown file extension[\s\S]*command: python3 sum\.py/,
  },
  'a default export that is not there': {
    files: yaml(', export: sum', ''),
    exit: 2,
    says: /"default"; it exports: sum[\s\S]*Name one of these functions with `export`/,
  },
  'criteria under another name': {
    files: yaml('passCriteria', 'criteria'),
    exit: 2,
    says: /`criteria`[\s\S]*`passCriteria`/,
  },
  'typographic quotes in a criterion': {
    files: yaml('result === 3', 'result === “3”'),
    exit: 2,
    says: /sum\.yaml:5:\d+: [\s\S]*use straight quotes/,
  },
  'a quote in a criterion that is not closed': {
    files: yaml('result === 3', "result === 'x"),
    exit: 2,
    says: /sum\.yaml:5:\d+: [\s\S]*close the quote/,
  },
  'a function of Python in a criterion': {
    files: yaml('result === 3', 'len(result) == 3'),
    exit: 2,
    says: /`len` is not a known function\n +use `result\.length`/,
  },
  'a literal of Python in a criterion': {
    files: yaml('result === 3', 'result == True'),
    exit: 2,
    says: /`True` is not defined\n +write `true`/,
  },
  'a name that begins with a template': {
    files: yaml('name: sum', 'name: {{ name }}'),
    exit: 2,
    says: /sum\.yaml:1:7: [\s\S]*quotes if it contains a `: ` or begins with `\{`/,
  },
  'a variable between brackets without quotes': {
    files: yaml('a: 1', 'a: ${NOPE}'),
    exit: 2,
    says: /sum\.yaml:3:\d+: a `\$\{…\}` stands unquoted between brackets\n +Put the whole value in quotes/,
  },
  'tags as one text': {
    files: yaml('name: sum', 'name: sum\ntags: smoke'),
    exit: 2,
    says: /sum\.yaml:2:7: [\s\S]*`\["smoke"\]`/,
  },
  'a number with its unit': {
    files: yaml('name: sum', 'name: sum\nrepeat: 3x'),
    exit: 2,
    says: /sum\.yaml:2:9: [\s\S]*without a unit: 3\./,
  },
  'a time limit in milliseconds with their unit': {
    files: yaml('name: sum', 'name: sum\ntimeoutSecs: 500ms'),
    exit: 2,
    says: /sum\.yaml:2:14: [\s\S]*a number of seconds/,
  },
  'a conversation that nothing judges': {
    files: desk('evaluators: [{ type: contains, config: { text: hi } }]\n', ''),
    exit: 2,
    says: /desk\.yaml:1:1: [\s\S]*Add `evaluators`/,
  },
  'an agent that throws': {
    files: { ...desk('', ''), 'bot.mjs': 'export default () => { throw new Error("no key") };\n' },
    exit: 3,
    says: /bot\.mjs threw "no key"\n +TARGET_CRASHED/,
  },
  'a server that logs to its stdout': {
    files: {
      ...yaml(
        '{ module: ./sum.mjs, export: sum }',
        '{ server: { command: node, args: [server.mjs] }, tool: add }\ntimeoutSecs: 2',
      ),
      'server.mjs': 'console.log("Server started");\nsetInterval(() => {}, 1000);\n',
    },
    exit: 3,
    says: /No answer within 2\.0 s\. [\s\S]*"node server\.mjs", which sent [\s\S]*Server started/,
  },
  'a check of a script that is not there': {
    args: ['mcp', 'check', 'server.mjs'],
    exit: 2,
    says: /"server\.mjs" does not exist[\s\S]*assay mcp check -- node server\.mjs/,
  },
  'a host that does not exist': {
    files: yaml('{ module: ./sum.mjs, export: sum }', '{ url: "http://no-such-host.invalid/" }'),
    exit: 3,
    says: /the host name no-such-host\.invalid is unknown/,
  },
  'the address of a connector in its config': {
    files: {
      ...desk('', ''),
      'assay.config.yaml': 'connectors:\n  bot: { type: http, config: { url: "http://127.0.0.1:9/" } }\n',
    },
    exit: 2,
    says: /desk\.yaml:2:12: `connectors\.bot` of the config: unknown key `url`\n +Write `baseUrl` beside `config`/,
  },
  'an empty path, such as of a variable that is not set': {
    args: ['run', ''],
    exit: 2,
    says: /A path is empty[\s\S]*variable/,
  },
  'a text in place of an object': {
    files: cliWith('task:', 'setup: ./setup.sh\ntask:'),
    exit: 2,
    says: /notes\.yaml:3:8: `setup` must be an object, not text\n +Its keys: /,
  },
  'a file in place of a scenario': { args: ['show', 'sum.yaml'], exit: 2, says: /is a file[\s\S]*assay show sum\b/ },
  'an option before its command': { args: ['--repeat', '3'], exit: 2, says: /"--repeat"[\s\S]*follow a command/ },
  'an answer that no connector can find': {
    files: { ...desk('', ''), 'bot.mjs': 'export default () => undefined;\n' },
    exit: 3,
    says: /returned no message[\s\S]*Return a text/,
  },
  'tests of a tool under another shell': {
    args: ['completion', 'powershell'],
    exit: 2,
    says: /"powershell"[\s\S]*`fish`/,
  },
  'a role that is missing': { args: ['token', 'create'], exit: 2, says: /role[\s\S]*`reader`/ },
  'a scenario in place of a script of a model': {
    args: ['fake-model', 'sum.yaml'],
    exit: 2,
    says: /sum\.yaml:1:1: `rules` is missing/,
  },
  'a scenario that is imported as results': {
    args: ['import', 'sum.yaml'],
    exit: 2,
    says: /sum\.yaml:1:1: unknown format\n +Set it with `--format`/,
  },
  'a report without a run': {
    prepare: (cwd) => assay(['run'], { cwd }),
    args: ['report', '--format', 'markdown', '-o', '-'],
    exit: 0,
    says: /1 passed|All 1 trial|The trial passed/,
  },
};

describe('a mistake of the user', () => {
  it('is in the table with more than a hundred others', () =>
    expect(Object.keys(mistakes).length).toBeGreaterThan(100));

  it.each(Object.entries(mistakes))('%s', async (_name, { files, args = ['run'], env = {}, exit, says, prepare }) => {
    const cwd = await temporaryFolder({ ...project, ...files });
    await prepare?.(cwd);
    const { exitCode, stdout, stderr } = await assay(args, { cwd, env });
    const printed = `${stdout}${stderr}`;
    expect(printed).not.toMatch(/INTERNAL|defect of Assay|\n {4}at /);
    expect({ exitCode, printed }).toEqual({ exitCode: exit, printed: expect.stringMatching(says) });
  });
});
