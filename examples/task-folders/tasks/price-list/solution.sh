wget -q -O /app/price.txt http://shop:8000/price.txt
