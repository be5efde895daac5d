import { tmpdir } from 'node:os';
import { parseAllDocuments, parse as parseYaml, stringify } from 'yaml';
import { assay } from './assay.ts';
import { checkout, type Sample } from './markdown-samples.ts';

/** Text around a fragment that makes it a whole file. */
const bases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  config: {},
  call: { name: 'sample', call: { command: 'cat' }, input: {}, passCriteria: ['result !== undefined'] },
  dataset: { name: 'sample', call: { command: 'cat' }, passCriteria: ['result !== undefined'] },
  conversation: { name: 'sample', connector: { type: 'http', baseUrl: 'http://127.0.0.1:9' }, userMessages: ['Hello'] },
  mcp: { server: { transport: 'stdio', command: 'node', args: ['server.mjs'] } },
  workflow: {
    server: { transport: 'stdio', command: 'node', args: ['server.mjs'] },
    workflows: [{ name: 'sample', steps: [{ user: 'Hello' }] }],
  },
  'cli-tool': {
    name: 'sample',
    description: 'sample',
    target: { binary: 'sh', command_pattern: 'sh' },
    template_folder: '.',
    task: { prompt: 'Hello' },
    evaluation: { gates: [{ type: 'file_exists', path: 'a' }] },
  },
};

/** JSON with comments as the YAML parser takes it. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\/.*$/gm, '');
}

/** A fragment completed by its base, as YAML. */
export function completed({ text, directive, page, line }: Sample): string {
  const base = directive?.kind === 'part' ? bases[directive.of] : undefined;
  if (!base) throw new Error(`${page}:${line}: there is no such base`);
  const fragment: unknown = parseYaml(withoutComments(text));
  return stringify({ ...base, ...(fragment as Record<string, unknown>) });
}

/** A scenario that has each line of a sample as a criterion. */
export function criteriaScenario(text: string): string {
  const passCriteria = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));
  return stringify({ ...bases.call, passCriteria });
}

/** Whether a document is one that `assay validate` takes. */
export function isScenario(text: string): boolean {
  const value: unknown = parseAllDocuments(withoutComments(text))[0]?.toJS();
  return ['call', 'connector', 'connectors', 'target', 'server'].some((key) => key in Object(value));
}

/** Throws where the text of a block does not parse in its language. */
export function assertParses({ language, text }: Sample): void {
  if (language === 'json' || language === 'jsonc' || language === 'yaml') {
    const documents = language === 'json' && !text.startsWith('{\n') ? text.trim().split('\n') : [text];
    for (const document of documents) {
      for (const { errors } of parseAllDocuments(withoutComments(document))) if (errors[0]) throw errors[0];
    }
  }
}

/** Commands and options that a command line may name. */
export interface KnownNames {
  /** The options of each command. */
  readonly options: ReadonlyMap<string, ReadonlySet<string>>;
  readonly agents: ReadonlySet<string>;
}

/** Commands and options from the program's own completion, and the agents that it lists. */
export async function knownNames(): Promise<KnownNames> {
  const { stdout } = await assay(['completion', 'bash'], { cwd: checkout });
  const commands = [...stdout.matchAll(/^ +([a-z-]+)\) flags="([^"]*)" values="[^"]*" ;;$/gm)];
  const options = new Map(commands.map(([, name = '', flags = '']) => [name, new Set(flags.split(' '))]));
  const listed = await assay(['agents', '--json'], { cwd: tmpdir() });
  const agents = JSON.parse(listed.stdout) as readonly { readonly name: string }[];
  return { options, agents: new Set(agents.map(({ name }) => name)) };
}

/** Options of every command, and an alias that completion leaves out. */
const everywhere = new Set(['--help', '--debug', '--version', '--llm']);

/** `assay` where a shell expects a command, up to the end of that command. */
const assayCommand = /(?:^ *|\$ |npx |&& |; |\| |-- |run: |script: |\w=\S+ )assay ([a-z][a-z-]*)([^`\n;&|]*)/gm;

/** Problems of the `assay` commands in a text: commands, options and agents that do not exist. */
export function commandProblems(text: string, { options, agents }: KnownNames): string[] {
  const problems: string[] = [];
  const joined = text.replaceAll('\\\n', ' ');
  for (const [, command = '', line = ''] of joined.matchAll(assayCommand)) {
    const allowed = options.get(command);
    if (!allowed) {
      problems.push(`there is no command \`assay ${command}\``);
      continue;
    }
    const own = line.split(/ -- /)[0]?.replace(/ #.*$/, '') ?? '';
    for (const [, option = '', value = ''] of own.matchAll(/(?:^|\s)(--[a-z][a-z-]*)(?:[ =]([^\s]+))?/g)) {
      if (!allowed.has(option) && !everywhere.has(option))
        problems.push(`\`assay ${command}\` has no option ${option}`);
      const unknown = option === '--agent' && value.split(',').find((name) => /^[a-z]/.test(name) && !agents.has(name));
      if (unknown) problems.push(`there is no agent \`${unknown}\``);
    }
  }
  return problems;
}

/** Code in prose: a command in backticks. */
export function inlineCommands(markdown: string): string {
  const prose = markdown.replace(/^\s*```[\s\S]*?^\s*```/gm, '');
  return [...prose.matchAll(/`(assay [^`]+)`/g)].map(([, command]) => command).join('\n');
}

/** Takes out what differs from run to run: ids, times, durations, white space. */
function steady(line: string): string {
  return line
    .replaceAll(/\br-\d{8}-\d{6}-[0-9a-f]{6}\b/g, 'r-ID')
    .replaceAll(/\bt-[0-9a-f]{12}-\d+-\d+\b/g, 't-ID')
    .replaceAll(/\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?)?/g, 'TIME')
    .replaceAll(/(?<![\w.])\d[\d,]*(\.\d+)? ?(ms|s|min|µs)(?!\w)/g, 'DURATION')
    .replaceAll(/\b127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/token=[\w-]+|token=…/g, 'token=TOKEN')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Whether documented output stands in the real one; a line `…` skips lines, `…` in a line skips text. */
export function isPrinted(documented: string, output: string): boolean {
  const lines = (text: string) =>
    text
      .split('\n')
      .map(steady)
      .filter((line) => line !== '');
  const pattern = lines(documented)
    .map((line) => {
      if (line === '…') return '(?:[^\\n]*\\n)*';
      return `${line
        .split('…')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^\\n]*')}\\n`;
    })
    .join('');
  return new RegExp(`(?:^|\\n)${pattern}`).test(
    lines(output)
      .map((line) => `${line}\n`)
      .join(''),
  );
}
