export { defineScenario, defineSuite } from '../load/scenarios/code/define-scenario.ts';
export type {
  CallScenario,
  CliToolScenario,
  ConversationScenario,
  DatasetDefinition,
  DatasetRow,
  EvaluatorDefinition,
  McpServerScenario,
  OwnEvaluators,
  ScenarioDefinition,
  SuiteDefinition,
} from '../load/scenarios/code/scenario-definition.ts';
