/** All that the tests for Vitest use of the program; bundled once, with the program (rolldown.config.mjs). */
export { openProject } from '../../compose/config/project.ts';
export { secretRedaction } from '../../compose/config/redaction.ts';
export { ProjectJudging } from '../../compose/judge/judging.ts';
export { version } from '../../compose/program.ts';
export { evaluate, wantedParts } from '../../compose/run/evaluate.ts';
export { selectScenarios } from '../../compose/run/prepare-run.ts';
export { runProject } from '../../compose/run/run-project.ts';
export { hasTurns } from '../../domain/conversation.ts';
export { AssayError, asAssayError } from '../../domain/errors.ts';
export { ProblemsError } from '../../domain/problem.ts';
export { observedCalls } from '../../domain/tools/tool-calls.ts';
export { eventsOf } from '../../domain/trace.ts';
export { serverDefinitionSchema, serverLabel } from '../../drive/mcp/server-definition.ts';
export { EvaluatorRunner } from '../../engine/evaluate.ts';
export { plan } from '../../engine/plan.ts';
export { evaluateAgain } from '../../engine/rescore.ts';
export { openStore } from '../../keep/store/open-store.ts';
export { eachTrial } from '../../keep/store/store.ts';
export { isSuite } from '../../load/scenarios/code/define-scenario.ts';
export { codeScenarios } from '../../load/scenarios/code/read-code.ts';
export { parseJsonSource } from '../../load/sources/json-source.ts';

/** Loaded by the tests that talk to an MCP server. */
export const importSessions = () => import('../../drive/mcp/sessions.ts');
