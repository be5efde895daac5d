/** The suites about a server that test no tools, by the names that files use. */
export { elicitationSuiteSchema, samplingSuiteSchema } from './mcp-client-suites.ts';
export { promptSuiteSchema } from './mcp-prompt-suites.ts';
export { resourceSuiteSchema } from './mcp-resource-suites.ts';
