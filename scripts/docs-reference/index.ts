import { attacksPage } from './attacks.ts';
import { cliPage } from './cli.ts';
import { environmentPage } from './environment.ts';
import { errorsPage } from './errors.ts';
import { evaluatorsPage } from './evaluators.ts';
import { configPage, scenarioFilesPage, scriptsPage } from './files.ts';
import { jsonDocumentsPage } from './json-documents.ts';
import { mcpClientsPage } from './mcp-clients.ts';
import { mcpPrecisionPage } from './mcp-precision.ts';
import { agentsPage, connectorsPage, importFormatsPage, mcpCheckRulesPage, reportersPage } from './parts.ts';
import { runOptionsPage } from './run-options.ts';

/** The generated pages of `docs/reference`, by file name. */
export const referencePages: Readonly<Record<string, () => string | Promise<string>>> = {
  'agents.md': agentsPage,
  'attacks.md': attacksPage,
  'cli.md': cliPage,
  'config.md': configPage,
  'connectors.md': connectorsPage,
  'environment.md': environmentPage,
  'errors.md': errorsPage,
  'evaluators.md': evaluatorsPage,
  'import-formats.md': importFormatsPage,
  'json-documents.md': jsonDocumentsPage,
  'mcp-check-rules.md': mcpCheckRulesPage,
  '../explanation/mcp-check-precision.md': mcpPrecisionPage,
  'mcp-official-clients.md': mcpClientsPage,
  'reporters.md': reportersPage,
  'run-options.md': runOptionsPage,
  'scenario-keys.md': scenarioFilesPage,
  'scripts.md': scriptsPage,
};
