import type { ServedTool } from './served-tool.ts';
import { compare } from './tools/compare.ts';
import { judge } from './tools/judge.ts';
import { listRuns } from './tools/list-runs.ts';
import { listScenarios } from './tools/list-scenarios.ts';
import { run } from './tools/run.ts';
import { show } from './tools/show.ts';
import { validate } from './tools/validate.ts';

/** Every tool of Assay's own MCP server, in the order in which they are needed. */
export const servedTools: readonly ServedTool[] = [listScenarios, validate, run, show, listRuns, compare, judge];
