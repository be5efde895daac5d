import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The browser for tests and measurements: `ASSAY_CHROMIUM`, or one on the path; undefined where there is none. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.ASSAY_CHROMIUM ?? '', ...candidates].find((path) => path !== '' && existsSync(path));
}
