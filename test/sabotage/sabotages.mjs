export const sabotages = [];
