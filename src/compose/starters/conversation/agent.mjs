/** The agent under test: replace it with yours, or name its endpoint in the scenario. */
const free = { monday: ['14:00', '15:30'], tuesday: [] };

export default function answer({ messages }) {
  const text = messages.at(-1).content.toLowerCase();
  const day = Object.keys(free).find((name) => text.includes(name));
  const time = /\b\d{2}:\d{2}\b/.exec(text)?.[0];
  if (time) return `Booked for ${time}. Your booking number is BK-10042.`;
  if (!day) return 'On which day would you like to come?';
  return free[day].length > 0 ? `On ${day} I have ${free[day].join(' and ')}.` : `On ${day} everything is taken.`;
}
