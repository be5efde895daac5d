const celsius = { Lisbon: 22, Oslo: 7 };

export function forecast({ city, day }) {
  if (!(city in celsius)) throw new Error(`no forecast for ${city}`);
  return { city, day, celsius: celsius[city] };
}

export function lineStatus({ customer }) {
  return { customer, line: 'in order' };
}
