"""Tests that a plot can be drawn of whatever was measured. Run by ctest."""
import unittest

import plot


def row(value, must=2.0, aim=1.0, at_least=False, verdict="ok", raw=None):
    return {"key": "true", "title": "a row", "value": value, "must": must, "aim": aim, "at_least": at_least,
            "verdict": verdict, "raw": raw or {}}


def drawn(*rows):
    return plot.draw({"rows": list(rows)})


class ScaleTest(unittest.TestCase):
    def test_values_between_the_ends_stand_in_their_order(self):
        scale = plot.Scale(0.02, 4)
        places = [scale.x(value) for value in (0.02, 0.5, 1, 4)]
        self.assertEqual(places, sorted(places))
        self.assertAlmostEqual(places[0], plot.LEFT)
        self.assertAlmostEqual(places[-1], plot.WIDTH - plot.RIGHT)

    def test_zero_and_less_stand_at_the_low_end(self):
        scale = plot.Scale(0.02, 4)
        for value in (0, -0.759, -1e9, 1e-300):
            self.assertAlmostEqual(scale.x(value), plot.LEFT)

    def test_what_is_above_the_high_end_stands_there(self):
        self.assertAlmostEqual(plot.Scale(0.02, 4).x(1e9), plot.WIDTH - plot.RIGHT)


class DrawingTest(unittest.TestCase):
    def test_a_difference_below_the_noise_is_drawn(self):
        self.assertIn("<circle", drawn(row(-0.759, verdict="info")))

    def test_a_rate_of_less_than_nothing_is_drawn(self):
        self.assertIn("<circle", drawn(row(-0.759, at_least=True, verdict="info")))

    def test_a_row_without_a_value_or_a_limit_is_left_out(self):
        self.assertNotIn("<circle", drawn(row(None), row(0), row(1.0, must=None), row(1.0, must=0)))


if __name__ == "__main__":
    unittest.main()
