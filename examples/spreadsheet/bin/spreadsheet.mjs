#!/usr/bin/env node
import { createJiti } from 'jiti';

const { runCli } = await createJiti(import.meta.url).import('../cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
