import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents';
import * as agents from '@openai/agents';
import { provider } from './telemetry.mjs';
import { description, model, parameters, putQuestions, system, weather } from './weather.mjs';

const instrumentation = new OpenAIAgentsInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(agents);

const tool = agents.tool({ name: 'weather', description, parameters, strict: true, execute: weather });
const agent = new agents.Agent({ name: 'weather_desk', instructions: system, model, tools: [tool] });

await putQuestions((question) => agents.run(agent, question));
await agents.getGlobalTraceProvider().forceFlush();
await provider.shutdown();
