import type { ServedTool } from '../served-tool.ts';
import { compare } from './compare.ts';
import { judge } from './judge.ts';
import { listRuns } from './list-runs.ts';
import { listScenarios } from './list-scenarios.ts';
import { run } from './run.ts';
import { show } from './show.ts';
import { validate } from './validate.ts';

/** Every tool of Assay's own MCP server, in the order in which they are needed. */
export const servedTools: readonly ServedTool[] = [listScenarios, validate, run, show, listRuns, compare, judge];
