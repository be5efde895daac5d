import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { description, model, parameters, system, weather } from './weather.mjs';

const configuration = { baseURL: process.env.OPENAI_BASE_URL };
const llm = new ChatOpenAI({ model, apiKey: 'any', maxRetries: 0, configuration });
const tools = [tool(async (input) => weather(input), { name: 'weather', description, schema: parameters })];
const agent = createReactAgent({ llm, tools, name: 'weather_desk' });

export function askGraph(question, options) {
  return agent.invoke({ messages: [new SystemMessage(system), new HumanMessage(question)] }, options);
}
