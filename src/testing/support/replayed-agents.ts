import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** Recorded output and end of a real agent whose model failed in one way at one of its calls. */
export interface RecordedOutage {
  readonly agent: string;
  readonly class: string;
  readonly when: 'first' | 'later' | 'once';
  /** Null where it went on until the time limit. */
  readonly exitCode: number | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** Recorded from the real agents against a scripted model that fails. */
export function recordedOutages(agent: string): RecordedOutage[] {
  const file = new URL(`../../../test/fixtures/agent-outages/${agent}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => ({ agent, ...(JSON.parse(line) as Omit<RecordedOutage, 'agent'>) }));
}

/** The name of the agent that replays an outage. */
export function replayName(outage: Pick<RecordedOutage, 'agent' | 'class' | 'when'>): string {
  return `${outage.agent}-${outage.class}-${outage.when}`;
}

/** A project with one task whose agents print what real ones printed, and end or hang as they did. */
export async function replayProject(outages: readonly RecordedOutage[], scenario: object): Promise<string> {
  const recorded = outages.map((outage) => [`${replayName(outage)}.sh`, replayScript(outage)] as const);
  const folder = await temporaryFolder({ 'scenario.yaml': JSON.stringify(scenario), ...Object.fromEntries(recorded) });
  for (const [name] of recorded) await chmod(join(folder, name), 0o755);
  const agents = outages.map((outage) => [
    replayName(outage),
    { kind: outage.agent, command: join(folder, `${replayName(outage)}.sh`), apiKey: 'any' },
  ]);
  const config = { isolation: 'none', agents: Object.fromEntries(agents) };
  await writeFile(join(folder, 'assay.config.yaml'), JSON.stringify(config));
  return folder;
}

function replayScript({ stdout, stderr, exitCode }: RecordedOutage): string {
  const here = (lines: readonly string[], to: string): string =>
    lines.length === 0 ? '' : `cat ${to}<<'END OF OUTPUT'\n${lines.join('\n')}\nEND OF OUTPUT\n`;
  const end = exitCode === null ? 'exec sleep 600\n' : `exit ${exitCode}\n`;
  return `#!/bin/sh\n[ "$1" = --version ] && { echo 99.0.0; exit 0; }\n${here(stdout, '')}${here(stderr, '>&2 ')}${end}`;
}
