import { findChromium } from './find-chromium.mjs';
import { build, install, tool } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

install();
if (!findChromium()) installSystemPackages(['chromium', 'fonts-liberation']);
if (!findChromium()) {
  console.error('There is no Chromium here: install one, or set ASSAY_CHROMIUM.');
  process.exit(1);
}
build();
tool('vitest/vitest.mjs', ['run', '--config', 'vitest.web.config.ts', ...process.argv.slice(2)]);
