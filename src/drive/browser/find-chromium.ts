import { findOnPath, isProgram } from '../../shared/processes/programs-on-path.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Absolute path of the browser that agents get: `ASSAY_CHROMIUM`, or one on PATH; undefined where there is none. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = env.ASSAY_CHROMIUM ?? '';
  if (named !== '') return isProgram(named) ? named : undefined;
  return findOnPath(names, env.PATH);
}
