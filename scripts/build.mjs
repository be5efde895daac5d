import { build, install, tool } from './steps.mjs';

install();
build({ force: true });
tool('typescript/bin/tsc', ['--project', 'tsconfig.types.json']);
