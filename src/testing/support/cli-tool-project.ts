import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from './assay.ts';
import { assayInProcess as assay } from './assay-in-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A tool of three commands that keeps a line for each item; quick, because a shell starts faster than Node. */
const myTool = `#!/bin/sh
store=.my-tool/store.db
case "$1 $*" in
  *--help*) echo "usage: my-tool create --title TEXT | list [--format json] | search WORD | doctor"; exit 0 ;;
esac
case "$1" in
  create)
    [ "$2" = --title ] || { echo "my-tool: --title is required" >&2; exit 2; }
    mkdir -p .my-tool && echo "$3" >> "$store" && echo "created" ;;
  list)
    [ -f "$store" ] || { echo "[]"; exit 0; }
    awk 'BEGIN { printf "[" } { printf "%s{\\"title\\":\\"%s\\"}", (NR > 1 ? "," : ""), $0 } END { print "]" }' "$store" ;;
  search) grep -i -- "$2" "$store" ;;
  doctor) echo ok ;;
  *) echo "my-tool: unknown command $1" >&2; exit 2 ;;
esac
`;

/** Fields of a trial that these tests read. */
export interface ToolTrial {
  readonly trialId: string;
  readonly outcome: string;
  readonly reason: string;
  readonly variant: Readonly<Record<string, string>>;
  readonly interaction: Readonly<Record<string, unknown>> & { readonly source: string; readonly completed: boolean };
  readonly gates: readonly { readonly gate_type: string; readonly passed: boolean; readonly message: string }[];
  readonly gates_passed: number;
  readonly gates_total: number;
  readonly judge: { readonly state: string; readonly score?: number } | null;
  readonly composite_score?: number;
  readonly costUsd: number;
  readonly artifacts?: string;
  readonly cachedFrom?: string;
  readonly fault?: { readonly code: string; readonly blame: string; readonly message: string };
}

export interface ToolRun extends CommandResult {
  readonly folder: string;
  readonly trials: readonly ToolTrial[];
}

interface ToolProject {
  /** The scenario file; `my-tool` is on PATH. */
  readonly scenario: string;
  /** Actions of the scripted agent. */
  readonly script: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** A project with one scenario, whose agent follows a script. */
export async function toolProject({ scenario, script, files = {} }: ToolProject): Promise<string> {
  const folder = await temporaryFolder({
    'scenario.yaml': scenario,
    'script.yaml': script,
    'bin/my-tool': myTool,
    'assay.config.yaml': 'agent: scripted\nagents: { scripted: { script: script.yaml } }\n',
    'template/README.md': '# Template\n',
    ...files,
  });
  await chmod(join(folder, 'bin/my-tool'), 0o755);
  return folder;
}

/** `my-tool` comes first on PATH. */
export function toolEnvironment(folder: string): Readonly<Record<string, string>> {
  return { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
}

/** Runs the scenario of a project; `my-tool` comes first on PATH. */
export async function runTool(
  folder: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ToolRun> {
  const result = await assay(['run', 'scenario.yaml', '--json', '--no-cache', ...flags], {
    cwd: folder,
    env: { ...toolEnvironment(folder), ...env },
  });
  const document = result.stdout.startsWith('{') ? JSON.parse(result.stdout) : undefined;
  return { ...result, folder, trials: document?.trials ?? [] };
}

/** The only trial of a run. */
export function onlyTrial({ trials, stderr }: ToolRun): ToolTrial {
  const [trial] = trials;
  if (!trial || trials.length > 1) throw new Error(`There are ${trials.length} trials.\n${stderr}`);
  return trial;
}

/** A scenario with the given gates. */
export function toolScenario(gates: string, more = ''): string {
  return `name: Items
description: Keep items
template_folder: template
target:
  binary: my-tool
  command_pattern: "my-tool\\\\s+(\\\\S+)"
task:
  prompt: Create an item.
evaluation:
  gates: ${gates}
${more}`;
}
