import { stringify } from 'yaml';
import type { ScenarioKind } from './scenario-kind.ts';

/** The kinds of a new scenario. */
export interface Starter {
  readonly kind: ScenarioKind;
  readonly title: string;
  readonly summary: string;
}

/** The four kinds of scenarios, the quickest to try first. */
export const starters: readonly Starter[] = [
  {
    kind: 'tool',
    title: 'A tool, called directly',
    summary: 'A command, a function or an HTTP endpoint. Runs at once.',
  },
  {
    kind: 'conversation',
    title: 'An agent that is talked to',
    summary: 'Over HTTP, or with a model behind it, turn by turn.',
  },
  {
    kind: 'cli-tool',
    title: 'A CLI tool used by an agent',
    summary: 'A task, a work directory, and gates on what is left behind.',
  },
  {
    kind: 'mcp-server',
    title: 'An MCP server',
    summary: 'Its tools called directly, or by a model that follows a workflow.',
  },
];

const bodies: Readonly<Record<ScenarioKind, string>> = {
  tool: `# The tool gets the input as JSON on stdin and answers with JSON on stdout. Replace \`cat\`, which gives it back.
call: { command: cat }
cases:
  - name: gives back what it gets
    input: { message: hello }
    passCriteria:
      - result.message === input.message
evaluators:
  # Assertions can fail a trial.
  - type: latency-budget
    config: { maxMs: 2000 }
  # Metrics are only tracked.
  - type: duration
    config: {}
`,
  conversation: `# Who is talked to: an address, or the name of a connector of this project.
connector: { type: http, baseUrl: "http://127.0.0.1:8081", config: { path: /chat } }
userMessages:
  - Hello, what can you do for me?
evaluators:
  # Assertions can fail a trial.
  - type: latency-budget
    config: { maxMs: 3000 }
  # Metrics are only tracked.
  - type: response-length
    config: { unit: words }
`,
  'cli-tool': `target:
  binary: git # the tool under test: a name on PATH, or a path
  command_pattern: 'git\\s+(\\S+)' # the group is the subcommand
task:
  prompt: Make a git repository here with one commit that holds a README.md.
evaluation:
  gates:
    - { type: file_exists, path: README.md }
    - { type: command_succeeds, command: git log -1 }
`,
  'mcp-server': `server:
  transport: stdio # or shttp or sse, with a url
  command: node
  args: [server.mjs]
toolHealthSuites:
  - name: Tools answer
    tests:
      - { name: add, description: adds two numbers, args: { a: 2, b: 3 }, expectedResult: 5 }
`,
};

/** The text that a new file of a kind begins with. */
export function starterText(kind: ScenarioKind, name: string): string {
  return `${stringify({ name }, { lineWidth: 0 })}${bodies[kind]}`;
}

/** A file name for a scenario: letters and digits of its name. */
export function fileNameOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${slug || 'scenario'}.yaml`;
}
