import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type CommandResult, ended, startAssay } from './assay.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A started program with what it has said so far. */
export interface Spoken {
  readonly child: ChildProcess;
  stderrText(): string;
  /** Resolves when it has said a text; rejects when it ends without. */
  says(text: string): Promise<void>;
  readonly end: Promise<CommandResult>;
}

/** A project of rows that a module answers, its store, and the machines that work for it. */
export class DistributedProject {
  readonly folder: string;
  readonly cache: string;
  readonly storeUrl: string;
  readonly env: Readonly<Record<string, string>>;

  private constructor(folder: string, cache: string, storeUrl: string) {
    this.folder = folder;
    this.cache = cache;
    this.storeUrl = storeUrl;
    this.env = { ASSAY_STORE: storeUrl, GATE: cache };
  }

  /** `tool` is the body of a function that gets `value` and the folder `gate`, which all machines see. */
  static async make(
    storeUrl: string,
    {
      rows,
      tool,
      files = {},
    }: { readonly rows: number; readonly tool: string; readonly files?: Record<string, string> },
  ): Promise<DistributedProject> {
    const dataset = Array.from({ length: rows }, (_, value) => JSON.stringify({ value })).join('\n');
    const folder = await temporaryFolder({
      'count.yaml': `name: Count\ncall: { module: ./tool.mjs, export: work }\ndataset: ./rows.jsonl\npassCriteria: [result.value === input.value]\n`,
      'rows.jsonl': dataset,
      'tool.mjs': `${toolHead}export async function work({ value }) {\n${tool}\n  return { value };\n}\n`,
      ...files,
    });
    return new DistributedProject(folder, await temporaryFolder(), storeUrl);
  }

  /** Starts a command of the program in the project; it is killed when the test has finished. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Spoken {
    return speak(startAssay(args, { cwd: this.folder, env: { ...this.env, ...env } }));
  }

  run(...args: string[]): Spoken {
    return this.start(['run', '--distributed', '--json', ...args]);
  }

  /** Starts a worker in another folder, as on another machine. */
  worker(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Spoken {
    const all = ['worker', '--folder', `${this.cache}/bundles`, '--lease-secs', '1', '--agents', '', ...args];
    return speak(startAssay(all, { cwd: this.cache, env: { ...this.env, ...env } }));
  }
}

const toolHead = `import { existsSync, writeFileSync, appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
const gate = process.env.GATE;
const opened = async (name) => { while (!existsSync(gate + '/' + name)) await wait(10); };
`;

function speak(child: ChildProcess): Spoken {
  let stderrText = '';
  child.stderr?.on('data', (text: string) => {
    stderrText += text;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    child,
    stderrText: () => stderrText,
    end: ended(child),
    says: (text) =>
      until(() => {
        if (stderrText.includes(text)) return true;
        if (child.exitCode !== null) throw new Error(`It ended without saying "${text}":\n${stderrText}`);
        return false;
      }),
  };
}

/** Looks again and again until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 4_000; look++) {
    if (await holds()) return;
    await wait(40);
  }
  throw new Error(`It did not come to hold: ${holds}`);
}

interface RunDocument {
  readonly run: { readonly id?: string };
  readonly totals: unknown;
  readonly trials: readonly { readonly caseId: string; readonly outcome: string; readonly reason: string }[];
}

/** A run as its report shows it, without what differs between two runs of the same thing. */
export function comparable(stdout: string) {
  const { totals, trials } = JSON.parse(stdout) as RunDocument;
  return { totals, trials: trials.map(({ caseId, outcome, reason }) => ({ caseId, outcome, reason })) };
}
