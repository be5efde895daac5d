import { join } from 'node:path';
import { install, root, tool } from './steps.mjs';

/** `npm run docs`: the documentation as a web site; `-- --serve` shows it on this machine. */
install();
const program = 'vitepress/bin/vitepress.js';
tool(program, ['build', 'docs']);
if (process.argv.includes('--serve')) tool(program, ['preview', 'docs']);
else console.log(`Site: ${join(root, 'docs', '.vitepress', 'dist')}`);
