import { existsSync } from 'node:fs';
import { findOnPath } from './find-on-path.mjs';

/** The browser for tests and measurements: `ASSAY_CHROMIUM`, or one on PATH; undefined where there is none. */
export function findChromium() {
  const named = process.env.ASSAY_CHROMIUM ?? '';
  if (named !== '' && existsSync(named)) return named;
  return findOnPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome');
}
