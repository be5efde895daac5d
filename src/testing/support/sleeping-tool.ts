import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { writeCalls } from './direct-calls.ts';
import { processesWith } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A scenario whose tool says that it has begun and then takes for ever, unless there is a file `go`. */
export async function projectOfSleepers(): Promise<string> {
  const tool = 'if [ -e go ]; then echo 1; else touch begun; sleep 600; fi';
  const folder = await temporaryFolder({ 'tool.sh': tool });
  const call = { command: 'sh tool.sh', env: { TEST_MARK: '${TEST_FOLDER}' } };
  await writeCalls(folder, { sleeper: { call, timeoutSecs: 60 } });
  onTestFinished(() => {
    for (const pid of sleepersOf(folder)) process.kill(pid, 'SIGKILL');
  });
  return folder;
}

/** The processes of the tool that run. */
export const sleepersOf = (folder: string): number[] => processesWith(`TEST_MARK=${folder}\0`);
export const untilBegun = (folder: string) => expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
export const untilGone = (folder: string) => expect.poll(() => sleepersOf(folder)).toEqual([]);
