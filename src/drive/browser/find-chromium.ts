import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Absolute path of the browser that agents get: `ASSAY_CHROMIUM`, or one on PATH; undefined where there is none. */
export function findChromium(env: Environment): string | undefined {
  const named = env.ASSAY_CHROMIUM ?? '';
  if (named !== '') return isProgram(named) ? named : undefined;
  return findOnPath(names, env);
}

/** Absolute path of the first of the programs that is on PATH. */
export function findOnPath(programs: readonly string[], { PATH = '' }: Environment): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
