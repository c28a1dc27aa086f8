import { expect, test } from 'vitest';
import { alarmLook, ALARM_TYPES } from '@/lib/alarmTypes';
import { BRIGHT_FROM, brightness, contrastOf, markColours, parseColour, textOn } from '@/lib/colour';

test.each([
  ['#fff', [255, 255, 255]],
  ['1a2B3c', [26, 43, 60]],
  [' rgb(1, 2,3) ', [1, 2, 3]],
  ['rgb(256,0,0)', null],
  ['rgba(1,2,3,.5)', null],
  ['#ffff', null],
  ['red', null],
  ['', null],
])('colour %j', (text, colour) => {
  expect(parseColour(text)).toEqual(colour);
});

test('text is black on what is brighter than 186, else white', () => {
  expect(BRIGHT_FROM).toBe(186);
  expect(textOn([186, 186, 186])).toBe('#ffffff');
  expect(textOn([187, 187, 187])).toBe('#000000');
  expect(Math.round(brightness([255, 212, 59]))).toBe(207);
});

test('a mark of any colour can be read: 4.5 to 1, its text by the rule', () => {
  for (let red = 0; red <= 255; red += 51) {
    for (let green = 0; green <= 255; green += 51) {
      for (let blue = 0; blue <= 255; blue += 51) {
        const { background, color } = markColours([red, green, blue]);
        expect(color).toBe(textOn([red, green, blue]));
        expect(
          contrastOf(parseColour(background) ?? [0, 0, 0], parseColour(color) ?? [0, 0, 0]),
        ).toBeGreaterThanOrEqual(4.5);
      }
    }
  }
});

test('types of alarms have the levels of the specification, and limit warnings their own', () => {
  const of = (level: string): number[] =>
    Object.entries(ALARM_TYPES)
      .filter(([, each]) => each === level)
      .map(([type]) => Number(type));
  expect(of('success')).toEqual([0, 3]);
  expect(of('danger')).toEqual([1, 101]);
  expect(of('info')).toEqual([2]);
  expect(of('warning')).toEqual([4, 5, 102, 103, 104, 105, 106, 107, 108]);
});

test('above 200 the level of the user; unknown types take the title and colour of their level, else - and red', () => {
  const levels = [
    { id: 201, title: 'Severe', color: '#00f' },
    { id: 5, title: '', color: 'none' },
  ];
  expect(alarmLook(201, null, levels)).toEqual({ kind: 'custom', title: 'Severe', colour: [0, 0, 255] });
  expect(alarmLook(50, 201, levels)).toEqual({ kind: 'custom', title: 'Severe', colour: [0, 0, 255] });
  expect(alarmLook(50, 5, levels)).toEqual({ kind: 'custom', title: '-', colour: [224, 49, 49] });
  expect(alarmLook(202, null, levels)).toMatchObject({ title: '-' });
  expect(alarmLook(1, 201, levels)).toEqual({ kind: 'known', type: 1, level: 'danger' });
});
