import { spawnSync } from 'node:child_process';
import { build, install, tool } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

const hasStrace = () => spawnSync('strace', ['--version'], { stdio: 'ignore' }).status === 0;

install();
if (!hasStrace()) installSystemPackages(['strace']);
build();
if (!hasStrace()) console.log('Left out: faults injected into the store. There is no strace on PATH.');
tool('vitest/vitest.mjs', ['run', '--config', 'vitest.long.config.ts', ...process.argv.slice(2)]);
