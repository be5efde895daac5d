import { build, install, tool } from './steps.mjs';

/**
 * The quick loop: builds what changed, and runs the named test files. The pages are built where a test opens them,
 * because that takes longer than all else.
 */
const args = process.argv.slice(2);
const opensPages = args.some((name) => /web|html|serve|report/.test(name));

install();
build({ pages: opensPages });
tool('vitest/vitest.mjs', ['run', ...args]);
