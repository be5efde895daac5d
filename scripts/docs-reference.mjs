import { install, tool } from './steps.mjs';

/** `npm run docs:reference`: writes the generated pages of `docs/reference`. */
install();
tool('vitest/vitest.mjs', ['run', 'test/structure/docs-reference.test.ts', '--update']);
