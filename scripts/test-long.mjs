import { build, install, tool } from './steps.mjs';

install();
build();
tool('vitest/vitest.mjs', ['run', '--config', 'vitest.long.config.ts', ...process.argv.slice(2)]);
