export const answer = () => ({ text: 'Paris is the capital of France.' });
