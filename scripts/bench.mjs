import { build, install, step } from './steps.mjs';

install();
build();
step(process.execPath, ['bench/index.mjs', ...process.argv.slice(2)]);
